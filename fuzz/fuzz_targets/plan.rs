//! Whatever a planner answers is a plan over the files of the change, or a fault.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stagecoach::decompose::Ground;
use stagecoach::decompose::plan::{self, Count, Verdict};
use stagecoach::git::{Change, ChangedFile, FileMode, ObjectId, Side};

fn ground() -> Ground {
    let id = |byte: u8| ObjectId::from_bytes(&[byte; 20]).expect("twenty bytes");
    let side = |path: &str, byte| Side { path: path.into(), mode: FileMode::Regular, id: id(byte) };
    let files = vec![
        ChangedFile::added(side("a", 1)),
        ChangedFile::deleted(side("b/c", 2)),
        ChangedFile::renamed(side("d", 3), side("e", 4), 80),
        ChangedFile::modified(side("f \"g\"", 5), side("f \"g\"", 6)).expect("it differs"),
    ];
    Ground::new(Some(id(7)), id(8), Change::new(files))
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let ground = ground();
    for count in [Count::UpTo(12), Count::Exactly(2)] {
        if let Ok(Verdict::Commits(plan)) = plan::read(&text, &ground, count) {
            for concept in &plan.concepts {
                assert!(!concept.files.is_empty(), "a commit without a file");
                assert!(concept.files.iter().all(|file| ground.file(*file).is_some()), "a file that did not change");
            }
        }
    }
});
