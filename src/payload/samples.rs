//! Changes for tests, made in memory.

use std::collections::HashMap;
use std::sync::Mutex;

use bstr::BString;

use super::{Excludes, Options, Payload, build};
use crate::config::Secrets;
use crate::git::{BlobError, Blobs, Change, ChangedFile, FileMode, ObjectId, Side};

/// Contents of files by id, and a record of what was read.
#[derive(Debug, Default)]
pub(crate) struct Store {
    blobs: HashMap<ObjectId, Vec<u8>>,
    /// Sizes that are claimed without any content behind them.
    claimed: HashMap<ObjectId, u64>,
    pub(crate) read: Mutex<Vec<ObjectId>>,
    files: Vec<ChangedFile>,
}

impl Store {
    fn id(&self) -> ObjectId {
        let number = u64::try_from(self.blobs.len() + self.claimed.len()).unwrap();
        let mut raw = [0xab; 20];
        raw[..8].copy_from_slice(&number.to_be_bytes());
        ObjectId::from_bytes(&raw).unwrap()
    }

    fn side(&mut self, path: &str, content: &[u8]) -> Side {
        let id = self.id();
        self.blobs.insert(id, content.to_vec());
        Side { path: BString::from(path), mode: FileMode::Regular, id }
    }

    pub(crate) fn added(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let new = self.side(path, content.as_ref());
        self.files.push(ChangedFile::added(new));
        self
    }

    pub(crate) fn deleted(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let old = self.side(path, content.as_ref());
        self.files.push(ChangedFile::deleted(old));
        self
    }

    pub(crate) fn modified(mut self, path: &str, old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) -> Self {
        let (old, new) = (self.side(path, old.as_ref()), self.side(path, new.as_ref()));
        self.files.extend(ChangedFile::modified(old, new));
        self
    }

    /// A symlink that was moved, of names that need not be text.
    pub(crate) fn renamed(mut self, old: &[u8], new: &[u8]) -> Self {
        let id = self.id();
        self.blobs.insert(id, b"target".to_vec());
        let side = |path: &[u8]| Side { path: BString::from(path), mode: FileMode::Symlink, id };
        self.files.push(ChangedFile::renamed(side(old), side(new), 100));
        self
    }

    pub(crate) fn file(mut self, file: ChangedFile) -> Self {
        self.files.push(file);
        self
    }

    /// An added file of so many bytes, which cannot be read.
    pub(crate) fn claimed(mut self, path: &str, size: u64) -> Self {
        let id = self.id();
        self.claimed.insert(id, size);
        self.files.push(ChangedFile::added(Side { path: BString::from(path), mode: FileMode::Regular, id }));
        self
    }

    pub(crate) fn change(&self) -> Change {
        Change::new(self.files.clone())
    }

    pub(crate) fn payload(&self) -> Payload {
        build(&self.change(), self, &options()).unwrap()
    }
}

impl Blobs for Store {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        let size = self.blobs.get(&id).map(|blob| blob.len() as u64).or_else(|| self.claimed.get(&id).copied());
        size.ok_or_else(|| BlobError { id, reason: "missing".to_owned() })
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        self.read.lock().unwrap().push(id);
        self.blobs.get(&id).cloned().ok_or_else(|| BlobError { id, reason: "missing".to_owned() })
    }
}

pub(crate) fn options() -> Options {
    Options {
        context: 1,
        excludes: Excludes::default(),
        binary_extensions: Vec::new(),
        secrets: Secrets::Redact,
        file_cap: usize::MAX,
        submodule_log: HashMap::new(),
    }
}
