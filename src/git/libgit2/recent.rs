//! Blobs that were read. A change that is divided is looked at twice, as a whole and in its parts, and opening a loose object
//! costs more than its content.

use std::collections::HashMap;

use crate::git::ObjectId;

/// Of larger ones, fewer are looked at again: their bodies are seldom shown.
const LARGEST: usize = 64 << 10;
/// What is kept in all, in bytes. The first stay: they are asked for again in the same order.
const MOST: usize = 12 << 20;

/// Contents by id.
#[derive(Default)]
pub(super) struct Recent {
    contents: HashMap<ObjectId, Box<[u8]>>,
    bytes: usize,
}

impl Recent {
    pub(super) fn get(&self, id: ObjectId) -> Option<&[u8]> {
        self.contents.get(&id).map(AsRef::as_ref)
    }

    /// Keeps a content, if there is room.
    pub(super) fn keep(&mut self, id: ObjectId, content: &[u8]) {
        let bytes = self.bytes + content.len();
        if content.len() > LARGEST || bytes > MOST {
            return;
        }
        if self.contents.insert(id, content.into()).is_none() {
            self.bytes = bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> ObjectId {
        format!("{number:040x}").parse().unwrap()
    }

    #[test]
    fn as_much_is_kept_as_there_is_room_for() {
        let mut recent = Recent::default();
        let content = vec![7; LARGEST];
        for number in 0..2 * MOST / LARGEST {
            recent.keep(id(number), &content);
            recent.keep(id(number), &content);
        }
        assert_eq!(recent.contents.len(), MOST / LARGEST);
        assert_eq!(recent.get(id(0)), Some(content.as_slice()));
        assert_eq!(recent.get(id(2 * MOST / LARGEST - 1)), None);
    }

    #[test]
    fn a_large_content_is_not_kept() {
        let mut recent = Recent::default();
        recent.keep(id(1), &vec![7; LARGEST + 1]);
        recent.keep(id(2), b"small");
        assert_eq!((recent.get(id(1)), recent.get(id(2))), (None, Some(b"small".as_slice())));
    }
}
