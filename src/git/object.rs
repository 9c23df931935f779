//! Names of objects and kinds of tree entries.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a git object: 20 bytes (SHA-1) or 32 bytes (SHA-256). Displays as lower-case hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    bytes: [u8; 32],
    len: u8,
}

/// The text or bytes are no object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an object id")]
pub struct InvalidObjectId(pub String);

impl ObjectId {
    /// Makes an id of 20 or 32 raw bytes.
    ///
    /// # Errors
    /// Any other length.
    pub fn from_bytes(raw: &[u8]) -> Result<Self, InvalidObjectId> {
        let mut bytes = [0; 32];
        match raw.len() {
            len @ (20 | 32) => {
                for (to, from) in bytes.iter_mut().zip(raw) {
                    *to = *from;
                }
                Ok(Self { bytes, len: u8::try_from(len).unwrap_or(20) })
            }
            len => Err(InvalidObjectId(format!("{len} bytes"))),
        }
    }

    /// The id that means "no object": 32 zero bytes for SHA-256, 20 for SHA-1.
    #[must_use]
    pub const fn null(is_sha256: bool) -> Self {
        Self { bytes: [0; 32], len: if is_sha256 { 32 } else { 20 } }
    }

    /// The id that means "no object", as long as this one.
    #[must_use]
    pub const fn to_null(self) -> Self {
        Self { bytes: [0; 32], len: self.len }
    }

    /// The raw bytes, 20 or 32 of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Whether all bytes are zero: "no object" in plumbing formats.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.as_bytes().iter().all(|byte| *byte == 0)
    }

    /// The first `digits` hexadecimal digits.
    #[must_use]
    pub fn short(&self, digits: usize) -> String {
        let mut text = self.to_string();
        text.truncate(digits);
        text
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for ObjectId {
    type Err = InvalidObjectId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidObjectId(text.to_owned());
        if !text.is_ascii() {
            return Err(invalid());
        }
        let raw: Vec<u8> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let pair = std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?;
                u8::from_str_radix(pair, 16).ok()
            })
            .collect::<Option<_>>()
            .ok_or_else(invalid)?;
        Self::from_bytes(&raw).map_err(|_| invalid())
    }
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ObjectId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a tree entry is, besides a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileMode {
    /// `100644`
    Regular,
    /// `100755`
    Executable,
    /// `120000`
    Symlink,
    /// `160000`, the commit of a submodule
    Gitlink,
}

impl FileMode {
    /// The mode as git writes it in trees and diffs.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            FileMode::Regular => 0o100_644,
            FileMode::Executable => 0o100_755,
            FileMode::Symlink => 0o120_000,
            FileMode::Gitlink => 0o160_000,
        }
    }

    /// Reads the mode of an index or tree entry; historical group-writable files (`100664`) are regular files, as git
    /// canonicalises them.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            0o120_000 => Some(FileMode::Symlink),
            0o160_000 => Some(FileMode::Gitlink),
            _ if bits & 0o170_000 == 0o100_000 => {
                if bits & 0o100 == 0 {
                    Some(FileMode::Regular)
                } else {
                    Some(FileMode::Executable)
                }
            }
            _ => None,
        }
    }

    /// Whether both are files of some permission, so that a change between them is a modification and not a change of
    /// type.
    #[must_use]
    pub const fn same_type(self, other: Self) -> bool {
        self.bits() & 0o170_000 == other.bits() & 0o170_000
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06o}", self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_the_way_through_text() {
        for text in [
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        ] {
            let id: ObjectId = text.parse().unwrap();
            assert_eq!(id.to_string(), text);
            assert_eq!(ObjectId::from_bytes(id.as_bytes()).unwrap(), id);
        }
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["", "4b82", "zz825dc642cb6eb9a060e54bf8d69288fbee4904", "é"] {
            assert!(text.parse::<ObjectId>().is_err(), "{text}");
        }
    }

    #[test]
    fn modes_are_gits() {
        assert_eq!(FileMode::from_bits(0o100_664), Some(FileMode::Regular));
        assert_eq!(FileMode::from_bits(0o100_755), Some(FileMode::Executable));
        assert_eq!(FileMode::from_bits(0o040_000), None);
        assert_eq!(FileMode::Symlink.to_string(), "120000");
        assert!(FileMode::Regular.same_type(FileMode::Executable));
        assert!(!FileMode::Regular.same_type(FileMode::Symlink));
    }
}
