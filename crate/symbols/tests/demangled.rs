//! Names as in the source are those of llvm-cxxfilt, but for known differences.

#![allow(clippy::unwrap_used, reason = "a test that panics has done its work")]

use unspool_symbols::demangle;

/// Symbols with what `llvm-cxxfilt` of LLVM 19 prints.
const SAME: &[(&str, &str)] = &[
    ("main", "main"),
    ("_Z3runiPPc", "run(int, char**)"),
    ("_ZN4work4leafEi", "work::leaf(int)"),
    ("_ZN4work3BoxIlE3getEl", "work::Box<long>::get(long)"),
    ("_ZN1AD0Ev", "A::~A()"),
    ("_ZN1AC2ERKS_", "A::A(A const&)"),
    (
        "_ZNSt6vectorIS_IiSaIiEESaIS1_EE4sizeEv",
        "std::vector<std::vector<int, std::allocator<int>>, std::allocator<std::vector<int, std::allocator<int>>>>::size()",
    ),
    ("_ZN5SmallILj4ELm5ELxn6EE1fEv", "Small<4u, 5ul, -6ll>::f()"),
    ("_ZlsIiERSoS0_RKT_", "std::ostream& operator<<<int>(std::ostream&, int const&)"),
    ("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"),
    ("_Z1fPFivE", "f(int (*)())"),
    ("_ZNKSt3mapIiiE3endEv", "std::map<int, int>::end() const"),
    ("_RNvCs2LXgGWZRWOI_7library5inner", "library::inner"),
];

/// What differs, and how. cpp_demangle does not expand packs of references, writes lambdas as GNU's
/// tools do, and decodes thunks of transactions.
const KNOWN: &[(&str, &str, &str)] = &[
    ("_Z1fIJiiEEvDpOT_", "void f<int, int>(int&&, int&&)", "void f<int, int>(int, int&&)"),
    ("_ZZ1gvENKUlvE_clEv", "g()::'lambda'()::operator()() const", "g()::{lambda()#1}::operator()() const"),
    ("_ZThn16_N1A1fEv", "non-virtual thunk to A::f()", "{virtual override thunk({offset(-16)}, A::f())}"),
];

#[test]
fn names_are_those_of_llvm() {
    for (symbol, expected) in SAME {
        assert_eq!(demangle(symbol, false), *expected, "{symbol}");
    }
}

#[test]
fn known_differences_are_still_there() {
    for (symbol, theirs, ours) in KNOWN {
        let text = demangle(symbol, false);
        assert_ne!(text, *theirs, "{symbol} is no difference any more");
        assert_eq!(text, *ours, "{symbol}");
    }
}

#[test]
fn what_is_no_mangled_name_stays() {
    for symbol in ["", "_Z", "_ZN", "memcpy@@GLIBC_2.14", "_R", "a b", "\u{fffd}", "__cxa_throw"] {
        assert_eq!(demangle(symbol, false), symbol);
    }
    assert_eq!(demangle("_main", true), "main");
    assert_eq!(demangle("__Z1fv", true), "f()");
    assert_eq!(demangle("_Z1fv@@VERSION", false), "f()");
}

/// A short name whose parts refer to earlier ones stands for a text of terabytes.
#[test]
fn a_name_without_end_stays_as_it_is() {
    let pairs: String = (0..20)
        .map(|i| format!("St4pairIS{0}_S{0}_E", if i == 0 { String::new() } else { format!("{:X}", i - 1) }))
        .collect();
    let symbol = format!("_Z1fSt4pairIiiE{pairs}");
    assert!(demangle(&symbol, false).len() <= 64 * 1024);
    let deep = format!("_Z1f{}i", "P".repeat(20_000));
    assert_eq!(demangle(&deep, false), deep);
}
