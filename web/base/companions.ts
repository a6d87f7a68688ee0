/** Files that belong to a trace: they add to it what its own file lacks. */

/** The kinds of companions, from `crate/trace/src/companion.rs`. */
export type CompanionKind =
  /** Names for the ids or addresses of functions. */
  | 'names'
  /** A program, a shared library, or debug information. */
  | 'binary'
  /** The write-ahead log of a database. */
  | 'wal'
  /** Times of the calls of an apitrace. */
  | 'times';

/** A companion of a trace. */
export interface CompanionFile {
  /** Counts the companions of the page, from 1. */
  readonly id: number;
  readonly kind: CompanionKind;
  readonly name: string;
  readonly file: Blob;
  /** The object of the log whose functions a binary names, if the user chose it. */
  readonly object?: number | null;
}

/** What became of a companion. */
export interface Attachment {
  /** Its id. */
  readonly companion: number;
  /** One or two sentences: what it adds, or what is wrong with it. */
  readonly sentence: string;
  /** It is of no use, or a part of it is. */
  readonly wrong: boolean;
  /** The object of the log whose functions a binary names, where there is a choice. */
  readonly choice?: ObjectChoice;
  /** Where a binary is in a trace of addresses, if it can be given a base. */
  readonly place?: { readonly base: bigint | null };
}

/** An object of a log, 0 for the program and others for shared libraries, that a binary names. */
export interface ObjectChoice {
  /** null if it is not known. */
  readonly object: number | null;
  /** The objects that the log has. */
  readonly objects: readonly number[];
}

/** Where a function is in the source. */
export interface Source {
  /** The path, as the compiler had it. Empty if unknown. */
  readonly file: string;
  /** null if unknown. */
  readonly line: number | null;
  /** The functions that the compiler has inlined in it, so that they have no calls of their own. */
  readonly inlined: readonly string[];
}

/** What a file is. */
export interface Look {
  /** The id of its format, if it is a trace. */
  readonly format: string | null;
  /** How certain that is, 0 to 3. */
  readonly confidence: number;
  readonly companion: CompanionKind | null;
  /** `an ELF binary`, or null if nothing is known of it. */
  readonly looks: string | null;
}

/** A companion of a trace, with what became of it. */
export interface Companion extends CompanionFile {
  /** null until it was read. */
  readonly attachment: Attachment | null;
}
