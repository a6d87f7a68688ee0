//! What binaries say about their functions.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

mod common;
#[path = "common/large.rs"]
mod large;

use std::process::Command;

use common::{Layout, TEXT, elf, fat, fixture, macho, open, path, run, symbols};
use unspool_symbols::{Binary, Called, Fault, Programs, Range, Sort, Source, Use, Why, Work, demangle};

const NATIVE: Layout = Layout { wide: true, big_endian: false, version: 2, relocated: false };
const THREE: [&str; 3] = ["main", "_Z1fi", "_ZN1a1bEv"];

#[test]
fn every_layout_of_the_map_is_read() {
    for wide in [true, false] {
        for big_endian in [true, false] {
            for version in 0..=2 {
                let layout = Layout { wide, big_endian, version, relocated: false };
                let case = format!("wide {wide}, big-endian {big_endian}, version {version}");
                assert_eq!(symbols(&elf(layout, &THREE)), THREE, "ELF, {case}");
                assert_eq!(symbols(&macho(layout, 7, &THREE)), THREE, "Mach-O, {case}");
                assert_eq!(open(&elf(layout, &THREE)).functions(), [TEXT, TEXT + 0x20, TEXT + 0x40], "{case}");
            }
            let layout = Layout { wide: true, big_endian, version: 1, relocated: true };
            assert_eq!(symbols(&elf(layout, &THREE)), THREE, "by relocations");
        }
    }
}

#[test]
fn a_file_for_several_processors_gives_its_instrumented_part() {
    let plain = {
        let mut bytes = macho(NATIVE, 0x0100_000c, &["other"]);
        let at = bytes.windows(4).position(|it| it == b"xray").unwrap();
        bytes[at] = b'X';
        bytes
    };
    let file = fat(&[(0x0100_000c, plain), (0x0100_0007, macho(NATIVE, 0x0100_0007, &THREE))]);
    assert_eq!(symbols(&file), THREE);
    let binary = open(&file);
    assert_eq!((binary.architecture(), binary.other_architectures()), ("x86_64".into(), vec!["arm64".into()]));
}

#[test]
fn rustc_and_binutils_wrote_what_is_read() {
    let program = open(&fixture("program.elf"));
    assert_eq!((program.sort(), program.functions().len(), program.build_id().len()), (Sort::Program, 7, 20));
    assert_eq!(open(&fixture("library.so")).sort(), Sort::Library);
    let debug = open(&fixture("program.debug"));
    assert_eq!((debug.sort(), debug.functions().len()), (Sort::Debug, 0));
    assert_eq!(debug.build_id(), program.build_id());
    let stripped = open(&fixture("stripped.elf"));
    assert_eq!((stripped.functions(), stripped.has_symbols()), (program.functions(), false));
    assert_eq!(symbols(&fixture("mini.elf")), symbols(&fixture("program.elf")), "from the compressed symbols");
    let names: Vec<_> = symbols(&fixture("program.elf")).iter().map(|it| demangle(it, false)).collect();
    let expected = [
        "program::generic::<u8>",
        "program::generic::<u32>",
        "program::leaf",
        "program::outer",
        "program::middle",
        "<program::shapes::Square as program::shapes::Area>::area",
        "_start",
    ];
    assert_eq!(names, expected);
}

/// Mangled names are those of nm, for every function of a file.
#[test]
fn symbols_are_those_of_nm() {
    for name in ["program.elf", "library.so"] {
        let path = path("tests/fixtures/binaries").join(name);
        let Ok(output) = Command::new("nm").arg("--defined-only").arg(&path).output() else {
            eprintln!("skipped: nm is missing");
            return;
        };
        let listed: Vec<(u64, String)> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .filter_map(|line| {
                let mut parts = line.split(' ');
                let (address, kind, symbol) = (parts.next()?, parts.next()?, parts.next()?);
                "tT".contains(kind).then_some((u64::from_str_radix(address, 16).ok()?, symbol.into()))
            })
            .collect();
        let bytes = fixture(name);
        let mut binary = open(&bytes);
        binary.look_up(listed.iter().map(|(address, _)| *address).collect());
        run(&mut binary, &bytes).unwrap();
        let mut found: Vec<_> = binary.take_found().into_iter().map(|(at, function)| (at, function.symbol)).collect();
        let mut listed = listed;
        listed.sort();
        found.sort();
        assert!(listed.len() > 1);
        assert_eq!(found, listed, "{name}");
    }
}

#[test]
fn an_address_inside_a_function_belongs_to_it_and_one_between_functions_to_none() {
    let bytes = elf(NATIVE, &THREE);
    let mut binary = open(&bytes);
    binary.look_up(vec![TEXT + 0x3f, TEXT - 1, TEXT + 0x60, TEXT + 0x21, TEXT + 0x20]);
    run(&mut binary, &bytes).unwrap();
    let found: Vec<_> =
        binary.take_found().into_iter().map(|(at, it)| (at - TEXT, it.address - TEXT, it.symbol)).collect();
    let f = || "_Z1fi".to_string();
    assert_eq!(found, [(0x20, 0x20, f()), (0x21, 0x20, f()), (0x3f, 0x20, f())]);
}

#[test]
fn damage_is_said_with_its_place() {
    let whole = elf(NATIVE, &THREE);
    let refused = |bytes: &[u8]| {
        let mut binary = Binary::new(bytes.len() as u64);
        run(&mut binary, bytes).unwrap_err()
    };
    assert_eq!(refused(b""), Fault { at: 0, why: Why::Unknown });
    assert_eq!(refused(b"no binary"), Fault { at: 0, why: Why::Unknown });
    assert_eq!(refused(&whole[..40]), Fault { at: 40, why: Why::Truncated });
    assert_eq!(refused(&whole[..whole.len() - 1]), Fault { at: whole.len() as u64 - 1, why: Why::Truncated });
    let mut bytes = whole.clone();
    bytes[5] = 3;
    assert_eq!(refused(&bytes), Fault { at: 5, why: Why::Malformed("the ELF header") });
    let mut mini = fixture("mini.elf");
    let xz = mini.windows(6).position(|it| it == b"\xfd7zXZ\0").unwrap();
    mini[xz + 40] ^= 0xff;
    let mut binary = open(&mini);
    binary.look_up(binary.functions().to_vec());
    assert_eq!(run(&mut binary, &mini), Err(Fault { at: xz as u64, why: Why::Compressed }));
}

/// Reads what programs need from these files, in order.
fn read(programs: &mut Programs, files: &[(u32, &[u8])]) {
    loop {
        match programs.step() {
            Work::Done => return,
            Work::More => {}
            Work::Needs { binary, range: Range { at, len } } => {
                let bytes = files.iter().find(|(id, _)| *id == binary).unwrap().1;
                programs.push(binary, at, bytes[at as usize..(at + len) as usize].to_vec());
            }
        }
    }
}

/// The ids of objects with these numbers of functions.
fn ids(uses: &[(u32, u32)]) -> Vec<i64> {
    uses.iter().flat_map(|(object, count)| (1..=*count).map(move |id| i64::from(object << 24 | id))).collect()
}

fn programs(files: &[(u32, &[u8])], uses: &[(u32, u32)]) -> Programs {
    let mut programs = Programs::default();
    for (id, bytes) in files {
        programs.add(*id, &format!("file {id}"), bytes.len() as u64);
    }
    programs.set_ids(ids(uses), true);
    read(&mut programs, files);
    programs
}

#[test]
fn programs_and_their_debug_files_are_found_by_build_id() {
    let (stripped, debug) = (fixture("stripped.elf"), fixture("program.debug"));
    for files in [[(1, &stripped[..]), (2, &debug)], [(2, &debug), (1, &stripped)]] {
        let mut programs = programs(&files, &[(0, 7)]);
        assert_eq!(programs.naming(1).map(|it| it.len()), Some(7));
        assert_eq!(programs.naming(2), None);
        assert_eq!(programs.report(2, 0).unwrap().sentence, "It has the symbols of file 1.");
        programs.remove(2);
        read(&mut programs, &files);
        assert_eq!(programs.naming(1), None);
        assert!(programs.report(1, 0).unwrap().sentence.contains("names were stripped"));
    }
}

#[test]
fn a_binary_that_does_not_fit_names_nothing_unless_it_is_chosen() {
    let program = elf(NATIVE, &THREE);
    let mut programs = programs(&[(1, &program)], &[(0, 4)]);
    assert_eq!(programs.naming(1), None);
    let report = programs.report(1, 0).unwrap();
    assert!(report.is_wrong && report.sentence.contains("ids up to 4 of the program"), "{}", report.sentence);
    programs.choose(1, Some(0));
    assert_eq!(programs.naming(1).map(|it| it.len()), Some(3));
    assert!(programs.report(1, 3).unwrap().sentence.contains("names may be wrong"));
}

#[test]
fn libraries_are_assigned_only_if_there_is_one_way() {
    let (program, library) = (fixture("program.elf"), fixture("library.so"));
    let one = programs(&[(1, &program), (2, &library)], &[(0, 7), (3, 2)]);
    assert_eq!(one.report(2, 2).unwrap().object, Some(3));
    let first = one.naming(2).unwrap();
    assert!(first.of(unspool_trace::batch::Key::Id(3 << 24 | 1)).is_some());
    let mut two = programs(&[(1, &program), (2, &library)], &[(0, 7), (1, 2), (2, 2)]);
    let report = two.report(2, 0).unwrap();
    assert_eq!((report.object, report.is_wrong), (None, true));
    assert!(report.sentence.contains("choose its object, 1 or 2"), "{}", report.sentence);
    two.choose(2, Some(2));
    assert_eq!(two.report(2, 2).unwrap().object, Some(2));
    let small = programs(&[(1, &library)], &[(0, 7), (1, 9)]);
    assert!(small.report(1, 0).unwrap().sentence.contains("another library"));
    let none = programs(&[(1, &library)], &[(0, 7)]);
    assert!(none.report(1, 0).unwrap().sentence.contains("none of shared libraries"));
    // While the log is read, further objects may come.
    let mut early = programs(&[(1, &library)], &[(0, 7), (1, 2)]);
    early.set_ids(ids(&[(0, 7), (1, 2)]), false);
    assert_eq!(early.report(1, 0).unwrap().object, None);
}

#[test]
fn ids_have_the_object_above_24_bits() {
    let mut programs = Programs::default();
    programs.set_ids([3 << 24 | 2, 5, 1, 0, 2 << 24, -1, 1 << 40, 5], true);
    let of = |object, functions, highest| Use { object, functions, highest };
    assert_eq!(programs.uses(), [of(0, 2, 5), of(3, 1, 2)]);
}

#[test]
fn only_what_the_log_has_is_named_when_it_is_known() {
    let program = fixture("program.elf");
    let mut one = programs(&[(1, &program)], &[(0, 2)]);
    assert_eq!(one.naming(1).unwrap().len(), 2);
    one.set_ids([3], false);
    assert_eq!(one.naming(1).unwrap().len(), 7);
}

#[test]
fn a_library_may_be_used_twice() {
    let library = fixture("library.so");
    let mut two = programs(&[(1, &library), (2, &library)], &[(1, 2), (2, 2)]);
    two.choose(1, Some(1));
    two.choose(2, Some(2));
    let of = |id| two.naming(id).unwrap();
    let key = |object: i64| unspool_trace::batch::Key::Id(object << 24 | 2);
    assert_eq!(of(1).of(key(1)).unwrap().place.text, "library_entry");
    assert_eq!(of(2).of(key(2)).unwrap().place.text, "library_entry");
}

/// The source of each function of a binary that XRay has instrumented.
fn sources(bytes: &[u8]) -> Vec<Source> {
    let mut binary = open(bytes);
    let functions = binary.functions().to_vec();
    let source = |address: &u64| {
        binary.find_source(*address);
        run(&mut binary, bytes).unwrap();
        binary.take_source().unwrap()
    };
    functions.iter().map(source).collect()
}

#[test]
fn functions_have_their_source_and_what_is_inlined_in_them() {
    let source = std::fs::read_to_string(path("tests/fixtures/binaries/program.rs")).unwrap();
    let sources = sources(&fixture("program.elf"));
    let line = |text: &str| source.lines().position(|line| line.contains(text)).unwrap() as u64 + 1;
    for (i, text) in
        [(0, "fn generic"), (2, "fn leaf("), (3, "fn outer("), (5, "fn area(&self) -> u64 {"), (6, "fn _start(")]
    {
        assert_eq!((sources[i].file.as_str(), sources[i].line), ("/src/program.rs", line(text)), "{text}");
    }
    assert!(sources[5].inlined.contains(&"program::shapes::twice".into()), "{:?}", sources[5].inlined);
    assert_eq!(sources[2].inlined, ["core::ptr::read_volatile::<u64>"]);
    assert_eq!(sources, self::sources(&fixture("compressed.elf")), "in compressed sections");
    assert!(open(&fixture("program.debug")).has_lines() && !open(&fixture("stripped.elf")).has_lines());
}

/// The sources of functions of a large program, and how many reads each took.
fn sources_of_large(program: &large::Program, functions: &[u64]) -> Vec<(String, u64, usize)> {
    let mut bytes = Vec::new();
    large::write(program, &mut |at, part| {
        let end = at as usize + part.len();
        bytes.resize(bytes.len().max(end), 0);
        bytes[at as usize..end].copy_from_slice(part);
        Ok(())
    })
    .unwrap();
    let mut binary = open(&bytes);
    let source = |function: &u64| {
        binary.find_source(large::address_of(*function));
        let mut reads = 0;
        let read = |Range { at, len }| {
            reads += 1;
            Ok::<_, ()>(bytes[at as usize..(at + len) as usize].to_vec())
        };
        binary.run(read).unwrap().unwrap();
        let source = binary.take_source().unwrap();
        (source.file, source.line, reads)
    };
    functions.iter().map(source).collect()
}

#[test]
fn units_are_found_without_a_table_of_their_addresses() {
    let program = large::Program { functions: 10_000, unit: 9_999, size: 0, place_of: |unit| unit };
    // 20 MB of units. Function 4 of each is on line 140.
    let wanted = [0, 9_999, 1234, 7777, 5000, 5001];
    for ((file, line, reads), function) in sources_of_large(&program, &wanted).iter().zip(wanted) {
        assert_eq!((file, *line), (&format!("/src/program/unit{}.cpp", function / 5), 100 + function % 5 * 10));
        // Some for each bisection, few for what is known.
        assert!(*reads <= 60, "function {function} took {reads} reads");
    }
}

#[test]
fn units_in_another_order_than_their_code_are_found() {
    // Their order is reversed in each hundred, and the hundreds are in disorder.
    let place_of = |unit: u64| (unit / 100 * 7 % 20) * 100 + 99 - unit % 100;
    let program = large::Program { functions: 10_000, unit: 9_999, size: 0, place_of };
    for (file, line, _) in sources_of_large(&program, &[0, 5 * 199, 5 * 1234 + 3]) {
        let unit: u64 = file.trim_start_matches("/src/program/unit").trim_end_matches(".cpp").parse().unwrap();
        assert!([0, 199, 1234].contains(&place_of(unit)) && line >= 100, "{file}:{line}");
    }
}

#[test]
fn the_source_of_an_id_may_be_in_a_debug_file() {
    let (stripped, debug) = (fixture("stripped.elf"), fixture("program.debug"));
    let files: [(u32, &[u8]); 2] = [(1, &stripped), (2, &debug)];
    let mut programs = programs(&files, &[(0, 7)]);
    assert!(programs.find_source(3));
    read(&mut programs, &files);
    assert_eq!(programs.take_source().unwrap().file, "/src/program.rs");
    assert!(!programs.find_source(8) && !programs.find_source(1 << 24 | 1) && !programs.find_source(0));
}

#[test]
fn a_compressed_section_beyond_the_limit_is_refused() {
    let mut bytes = fixture("compressed.elf");
    // The uncompressed size in the header of the first zlib section.
    let header = (0..bytes.len() - 32)
        .find(|at| bytes[*at..*at + 8] == [1, 0, 0, 0, 0, 0, 0, 0] && bytes[*at + 24] == 0x78)
        .unwrap();
    bytes[header + 8..header + 16].copy_from_slice(&(65_u64 << 20).to_le_bytes());
    let mut binary = open(&bytes);
    binary.find_source(binary.functions()[0]);
    let fault = run(&mut binary, &bytes).unwrap_err();
    assert_eq!(fault.why, Why::Section);
    assert!(fault.to_string().contains("more than 64 MiB"));
}

/// The addresses of all functions of `program.elf`.
const PROGRAM: [u64; 7] = [0x1610, 0x1640, 0x1680, 0x16b0, 0x16f0, 0x1730, 0x1760];

/// A trace in which the program was called at a base, and others were called elsewhere.
fn called(base: u64, modules: &[(u64, &str)]) -> Called {
    let others = [0x7fff_f7dd_3010, 0x7fff_f7dd_4100, 0x7fff_f7de_0020];
    let functions = PROGRAM.map(|at| base + at);
    let all = functions.iter().flat_map(|at| [*at, at + 5]).chain(others).collect();
    let modules = modules.iter().map(|(base, path)| (*base, (*path).into())).collect();
    Called::new(all, functions.into_iter().chain(others).collect(), modules)
}

/// Binaries of a trace of addresses, which are read.
fn placed(files: &[(u32, &[u8])], called: Called) -> Programs {
    let mut programs = Programs::default();
    files.iter().for_each(|(id, bytes)| programs.add(*id, &format!("dir/{id}.elf"), bytes.len() as u64));
    programs.set_called(called, true);
    read(&mut programs, files);
    programs
}

fn name(programs: &Programs, id: u32, address: u64) -> Option<String> {
    let naming = programs.naming(id)?;
    naming.of(unspool_trace::batch::Key::Address(address)).map(|it| format!("{}+{:x}", it.place.text, it.offset))
}

#[test]
fn addresses_are_named_at_the_base_that_explains_most() {
    let program = fixture("program.elf");
    let base = 0x5555_5555_4000;
    let files: [(u32, &[u8]); 1] = [(1, &program)];
    let mut programs = placed(&files, called(base, &[]));
    let report = programs.report(1, 14).unwrap();
    assert_eq!((report.base, report.is_wrong, report.can_be_placed), (Some(base), false, true));
    assert_eq!(
        report.sentence,
        "It names 14 addresses of this trace. Its base 0x555555554000 is the one that explains most: 7 of the 7 called \
         addresses in it are functions of it, and 3 are elsewhere."
    );
    assert_eq!(name(&programs, 1, base + 0x1680).as_deref(), Some("program::leaf+0"));
    assert_eq!(name(&programs, 1, base + 0x1685).as_deref(), Some("program::leaf+5"));
    assert_eq!(name(&programs, 1, 0x7fff_f7dd_3010), None);
    assert!(programs.find_source_at(base + 0x1680));
    read(&mut programs, &files);
    assert_eq!(programs.take_source().unwrap().file, "/src/program.rs");
    assert!(!programs.find_source_at(0x7fff_f7dd_3010));
    // The user knows better.
    programs.place(1, Some(base + 0x1000));
    read(&mut programs, &files);
    let report = programs.report(1, 0).unwrap();
    assert!(report.is_wrong && report.sentence.contains("Names may be wrong."), "{}", report.sentence);
    programs.place(1, None);
    read(&mut programs, &files);
    assert_eq!(programs.report(1, 14).unwrap().base, Some(base));
}

#[test]
fn a_loaded_module_says_the_base() {
    let program = fixture("program.elf");
    let base = 0x1000_0000;
    // Two functions would be too few to find the base.
    let few = Called::new(vec![base + 0x1610, base + 0x1640], vec![], vec![(base, "/usr/bin/1.elf".into())]);
    let programs = placed(&[(1, &program)], few);
    let report = programs.report(1, 2).unwrap();
    assert!(
        report.sentence.contains("The trace says that it was loaded at 0x10000000: 2 of the 2"),
        "{}",
        report.sentence
    );
    let elsewhere = placed(&[(1, &program)], called(base, &[(0x2000_0000, "/usr/bin/1.elf")]));
    assert_eq!(elsewhere.report(1, 0).unwrap().base, Some(base), "a module of the same name that does not fit");
}

#[test]
fn other_binaries_name_nothing() {
    let library = fixture("library.so");
    let programs = placed(&[(1, &library)], called(0x5555_5555_4000, &[]));
    let report = programs.report(1, 0).unwrap();
    assert_eq!((report.base, report.is_wrong), (None, true));
    assert!(report.sentence.contains("no base explains enough of the 10 addresses"), "{}", report.sentence);
    assert!(programs.naming(1).is_none());
    let fixed = macho(NATIVE, 0x0100_0007, &THREE);
    let programs = placed(&[(1, &fixed)], called(0x5555_5555_4000, &[]));
    assert!(programs.report(1, 0).unwrap().is_wrong);
}

#[test]
fn a_debug_file_has_the_place_of_its_program_and_another_copy_has_none() {
    let (program, debug, stripped) = (fixture("program.elf"), fixture("program.debug"), fixture("stripped.elf"));
    let base = 0x5555_5555_4000;
    let programs = placed(&[(1, &stripped), (2, &debug)], called(base, &[]));
    assert_eq!(programs.report(1, 0).unwrap().sentence, "dir/2.elf has its symbols.");
    assert_eq!(programs.report(2, 14).unwrap().base, Some(base));
    assert_eq!(name(&programs, 2, base + 0x1680).as_deref(), Some("program::leaf+0"));
    let alone = placed(&[(1, &stripped)], called(base, &[]));
    assert!(alone.report(1, 0).unwrap().sentence.contains("names were stripped"));
    // Two files that overlap: the one that explains more gets the place.
    let files: [(u32, &[u8]); 2] = [(1, &program), (2, &fixture("library.so"))];
    let mut both = placed(&files, called(base, &[]));
    both.place(2, Some(base));
    read(&mut both, &files);
    let report = both.report(2, 0).unwrap();
    assert!(report.is_wrong, "{}", report.sentence);
    assert_eq!(both.report(1, 0).unwrap().base, None, "its only base is taken");
}
