//! What questions about records are answered with.

use unspool_js::columns::{BigUint64Array, Float64Array, Uint8Array, Uint32Array};
use unspool_js::{FoundRecords, structures};
use unspool_records::CollectedColumns;

structures! {
    /// How long a list of records is.
    pub struct Listed {
        /// Number of records so far.
        pub rows: f64,
        /// By position. Otherwise the records of each thread in turn, because there are too many
        /// threads to merge.
        pub in_order: bool,
        /// Pieces of the file looked at to find its records.
        pub done: f64,
        /// How many there are to look at.
        pub of: f64,
    }

    /// What a pass over all records with all their fields has counted.
    pub struct Surveyed {
        /// Number of records.
        pub records: f64,
        /// Number of single values.
        pub fields: f64,
        /// Memory of the module in bytes.
        pub memory: f64,
    }

    /// How far that pass is.
    pub struct SurveyTurn {
        /// Pieces of the file so far.
        pub at: f64,
        /// All of them.
        pub of: f64,
        /// What was counted in them.
        pub counted: Surveyed,
    }

    /// Collected records as columns, in no order.
    pub struct Collected {
        /// Absolute positions on the x axis.
        pub time: BigUint64Array,
        /// Ids of the tracks of their threads.
        pub track: Uint32Array,
        /// Where each is found again.
        pub locator: BigUint64Array,
        /// The numbers of the field, as `numbers` says.
        pub bits: BigUint64Array,
        /// 0 for unsigned, 1 for signed, 2 for floating point.
        pub numbers: Uint8Array,
        /// Of intervals, where the last record is; empty for other records.
        pub until: BigUint64Array,
        /// The texts whose numbers `bits` has: in quotation marks, and shortened. The last number
        /// of 64 bits stands for a record without a text, the one before for a text that is not
        /// here.
        #[tsify(optional)]
        pub texts: Option<Vec<String>>,
    }

    /// How far collecting is.
    pub struct CollectTurn {
        /// Pieces of the file so far.
        pub at: f64,
        /// All of them.
        pub of: f64,
        /// With the last pieces.
        pub found: Option<Collected>,
    }

    /// Rows for SQL, as `crate/records/src/tabulate.rs` writes them.
    pub struct TabulatedPart {
        /// The rows.
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        pub bytes: Uint8Array,
        /// How many they are.
        pub rows: f64,
        /// Where the next ones begin.
        pub next: f64,
        /// Where the last ones end.
        pub of: f64,
    }

    /// How far a search is.
    pub struct SearchTurn {
        /// Pieces of the file so far.
        pub at: f64,
        /// All of them.
        pub of: f64,
        /// How many records match.
        pub count: f64,
        /// Those found since the last turn.
        pub found: FoundRecords,
    }
}

impl From<CollectedColumns> for Collected {
    fn from(CollectedColumns { time, track, locator, bits, kind, until }: CollectedColumns) -> Self {
        let [time, locator, bits, until] = [time, locator, bits, until].map(BigUint64Array);
        Self { time, track: Uint32Array(track), locator, bits, numbers: Uint8Array(kind), until, texts: None }
    }
}

structures! {
    /// How far a pass that makes tokens of records is.
    pub struct TokensTurn {
        /// Pieces of the file so far.
        pub at: f64,
        /// All of them.
        pub of: f64,
        /// Tokens that were made, once there are many, and at the end.
        #[tsify(optional)]
        pub part: Option<TokensPart>,
        /// What they are, at the end.
        #[tsify(optional)]
        pub found: Option<FoundTokens>,
    }

    /// Some records as numbers that are equal where records are the same.
    pub struct TokensPart {
        /// Stretches of consecutive records of a track, four numbers a time: the track, the number
        /// of the first record in it, how many there are, and how many the track probably has.
        pub places: Uint32Array,
        /// A token for each record, 2^32 - 2 if it is to be ignored.
        pub tokens: Uint32Array,
    }

    /// What is known of records as numbers.
    pub struct FoundTokens {
        /// Tracks that have records.
        pub tracks: Uint32Array,
        /// How many records of each track have a token that is not to be ignored.
        pub counts: Uint32Array,
        /// What the tokens stand for, one after the other.
        pub contents: Uint8Array,
        /// Where the content of each token ends.
        pub content_ends: Uint32Array,
        /// Positions on the x axis, track by track: of each record, or of every 2^n-th; 2^64 - 1
        /// where unknown.
        pub positions: BigUint64Array,
        /// Position of the first record of each track.
        pub begins: BigUint64Array,
        /// Numbers of records without a token, which are to be ignored, track by track.
        pub left_out: Uint32Array,
        /// Where those of each track end.
        pub left_out_ends: Uint32Array,
        /// How many values of other records are ignored, by track.
        pub values_left_out: Float64Array,
        /// Where the positions of each track end.
        pub position_ends: Uint32Array,
        /// That n, of each track.
        pub position_shifts: Uint8Array,
        /// Keys of the fields that make records the same, besides names.
        pub fields: Vec<String>,
    }
}
