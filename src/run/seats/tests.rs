use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::process::Process;
use crate::run::Cause;

const LONG: Duration = Duration::from_secs(60);

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn state(&self) -> std::path::PathBuf {
        self.root.path().join("state/stagecoach")
    }

    fn seats(&self, active: usize) -> Seats {
        self.limited(SeatLimits { active, starts: 64, spacing: Duration::ZERO })
    }

    fn limited(&self, limits: SeatLimits) -> Seats {
        Seats::open(&self.state(), "provider-x", limits).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let folder = self.state().join("seats/provider-x");
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "lock");
        names.sort();
        names
    }

    /// Puts a file of another process there.
    fn put(&self, name: &str, process: &str) {
        let folder = self.state().join("seats/provider-x");
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&folder).unwrap();
        symlink(format!("{process} 60"), folder.join(name)).unwrap();
    }
}

/// A process that is gone: this one's id with another start.
fn gone() -> String {
    let text = Process::current().to_string();
    let mut words: Vec<&str> = text.split(' ').collect();
    words[1] = "1";
    words.join(" ")
}

fn take(seats: &Seats) -> Result<Seat, NoSeat> {
    patiently(seats, &Cancel::new(), LONG, &|_| {})
}

fn patiently(seats: &Seats, cancel: &Cancel, timeout: Duration, tell: &dyn Fn(usize)) -> Result<Seat, NoSeat> {
    seats.take(Patience { timeout, deadline: None, cancel, tell })
}

#[test]
fn a_seat_is_a_file_that_goes_with_it() {
    let place = Place::new();
    let seats = place.seats(2);
    assert!(!place.state().exists(), "nothing is made before it is needed");
    assert_eq!(seats.in_use().unwrap(), (0, 0));
    let seat = take(&seats).unwrap();
    assert!(place.names()[0].starts_with("00000001.seated."), "{:?}", place.names());
    for folder in ["", "seats", "seats/provider-x"] {
        assert_eq!(place.state().join(folder).metadata().unwrap().permissions().mode() & 0o777, 0o700, "{folder}");
    }
    let content = std::fs::read_link(seats.path().join(&place.names()[0])).unwrap();
    assert_eq!(content.to_str().unwrap(), format!("{} 60", Process::current()));
    let second = take(&seats).unwrap();
    assert_eq!(seats.in_use().unwrap(), (2, 0));
    drop(seat);
    assert_eq!(seats.in_use().unwrap(), (1, 0));
    drop(second);
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn many_at_once_are_never_too_many_and_all_come_in_their_order() {
    let place = Place::new();
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let order = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..24 {
            scope.spawn(|| {
                let seat = take(&place.seats(3)).unwrap();
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                order.lock().unwrap().push(seat.placed.ticket);
                std::thread::sleep(Duration::from_millis(20));
                now.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    assert_eq!(order.lock().unwrap().len(), 24);
    assert!((1..=3).contains(&most.into_inner()));
    let mut tickets = order.into_inner().unwrap();
    tickets.sort_by_key(|ticket| ticket.number);
    let moments: Vec<_> = tickets.iter().map(|ticket| ticket.seated.unwrap()).collect();
    assert!(moments.is_sorted(), "{tickets:?}");
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn beginnings_are_spaced_whoever_asks_for_it() {
    let place = Place::new();
    let spaced = SeatLimits { active: 64, starts: 64, spacing: Duration::from_millis(60) };
    let moments = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                let seat = take(&place.limited(spaced)).unwrap();
                moments.lock().unwrap().push(seat.placed.ticket.seated.unwrap());
            });
        }
    });
    let mut moments = moments.into_inner().unwrap();
    moments.sort_unstable();
    assert!(moments.windows(2).all(|pair| pair[1] - pair[0] >= 60), "{moments:?}");

    // Who asks for no spacing of its own is still noted for those who do.
    let plain = take(&place.seats(64)).unwrap().placed.ticket.seated.unwrap();
    let next = take(&place.limited(spaced)).unwrap().placed.ticket.seated.unwrap();
    assert!(next - plain >= 60);
    assert_eq!(place.names().len(), 1, "{:?}", place.names());
}

#[test]
fn what_killed_processes_left_is_taken_back_when_it_is_needed() {
    let place = Place::new();
    let seats = place.seats(2);
    let elsewhere = "1 1 boot another-host pid:[1]";
    for (name, process) in [("1.seated.1", gone()), ("2.seated.1", elsewhere.to_owned()), ("3.waiting", gone())] {
        place.put(&format!("0000000{name}"), &process);
    }
    assert_eq!(seats.in_use().unwrap(), (1, 0));
    let seat = take(&seats).unwrap();
    assert_eq!(seat.placed.ticket.number, 4);
    let names = place.names();
    assert!(names[0].starts_with("00000002.seated.") && names[1].starts_with("00000004.seated."), "{names:?}");
    assert_eq!(names.len(), 2);
}

#[test]
fn the_seat_of_a_process_that_is_killed_goes_to_whoever_waits() {
    let place = Place::new();
    let mut child = Command::new("sleep").arg("600").spawn().unwrap();
    place.put("00000001.seated.1", &Process::of(child.id()).unwrap().to_string());
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let seats = place.seats(1);
        let waiter = scope.spawn(move || {
            take(&seats).unwrap();
        });
        while !place.names().iter().any(|name| name == "00000002.waiting") {
            std::thread::sleep(Duration::from_millis(1));
        }
        let seats = place.seats(1);
        let told = &told;
        let second = scope
            .spawn(move || drop(patiently(&seats, &Cancel::new(), LONG, &|ahead| told.lock().unwrap().push(ahead))));
        while told.lock().unwrap().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!waiter.is_finished() && !second.is_finished());
        child.kill().unwrap();
        child.wait().unwrap();
    });
    assert_eq!(told.into_inner().unwrap()[0], 1);
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn whoever_waits_stops_when_told_to_and_leaves_the_line() {
    let place = Place::new();
    let seats = place.seats(1);
    let _seat = take(&seats).unwrap();
    let cancel = Cancel::new();
    let stop = |_| cancel.request(Cause::Interrupt);
    assert!(matches!(patiently(&seats, &cancel, LONG, &stop), Err(NoSeat::Stopped)));
    assert!(matches!(patiently(&seats, &cancel, LONG, &|_| panic!("it came in")), Err(NoSeat::Stopped)));
    assert_eq!(place.names().len(), 1);
}

#[test]
fn a_line_that_stands_still_is_left_after_the_time_out() {
    let place = Place::new();
    let seats = place.seats(1);
    let _seat = take(&seats).unwrap();
    let short = Duration::from_millis(50);
    let result = patiently(&seats, &Cancel::new(), short, &|_| {});
    let Err(NoSeat::TimedOut { waited, ahead: 0 }) = result else { panic!("{result:?}") };
    assert!(waited >= short);
    let cancel = Cancel::new();
    let deadline = Some(Instant::now() + short);
    let result = seats.take(Patience { timeout: LONG, deadline, cancel: &cancel, tell: &|_| {} });
    assert!(matches!(result, Err(NoSeat::TimedOut { .. })), "{result:?}");
    assert_eq!(place.names().len(), 1);
}

#[test]
fn a_pause_between_beginnings_is_no_standstill() {
    let place = Place::new();
    let seats = place.limited(SeatLimits { active: 9, starts: 9, spacing: Duration::from_millis(300) });
    let _first = take(&seats).unwrap();
    patiently(&seats, &Cancel::new(), Duration::from_millis(60), &|_| {}).unwrap();
}

#[test]
fn whoever_sleeps_in_the_line_is_passed_over() {
    let place = Place::new();
    let mut child = Command::new("sleep").arg("600").spawn().unwrap();
    let process = Process::of(child.id()).unwrap().to_string();
    place.put("00000001.waiting", &process);
    // It is in front as long as it moves.
    let seats = place.seats(1);
    let short = Duration::from_millis(50);
    let moving = |ago: u64| folder::touch(&seats.path().join("00000001.waiting"), now() - ago).unwrap();
    moving(0);
    assert!(matches!(patiently(&seats, &Cancel::new(), short, &|_| {}), Err(NoSeat::TimedOut { ahead: 1, .. })));
    moving(11_000);
    take(&seats).unwrap();
    assert_eq!(place.names(), ["00000001.waiting"], "it keeps its place");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_folder_that_is_not_the_users_alone_is_refused() {
    for (folder, break_it) in [("", "mode"), ("seats", "mode"), ("seats/provider-x", "mode"), ("seats", "link")] {
        let place = Place::new();
        drop(take(&place.seats(1)).unwrap());
        let path = place.state().join(folder);
        if break_it == "link" {
            std::fs::rename(&path, place.root.path().join("elsewhere")).unwrap();
            std::fs::set_permissions(place.root.path().join("elsewhere"), PermissionsExt::from_mode(0o777)).unwrap();
            symlink(place.root.path().join("elsewhere"), &path).unwrap();
        } else {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o770)).unwrap();
        }
        let limits = SeatLimits { active: 1, starts: 1, spacing: Duration::ZERO };
        let opened = Seats::open(&place.state(), "provider-x", limits);
        assert!(matches!(opened, Err(PrivateError::Unsafe { .. })), "{folder} {break_it}: {opened:?}");
    }
}

#[test]
fn jitter_spreads_by_a_quarter() {
    let mut seen = BTreeMap::new();
    for _ in 0..200 {
        let time = jittered(Duration::from_millis(400)).as_millis();
        assert!((300..=500).contains(&time), "{time}");
        *seen.entry(time / 20).or_insert(0) += 1;
    }
    assert!(seen.len() > 5, "{seen:?}");
}
