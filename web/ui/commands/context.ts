import type { ReadonlySignal } from '@preact/signals';
import type { Track } from '../../base/protocol.ts';
import type { Arrangement } from '../../model/arrangement.ts';
import type { LaidTrack } from '../../model/layout.ts';
import type { Step } from '../../model/pointing.ts';
import type { WalkTo } from '../../model/walk.ts';

/** What commands can do with the page itself. */
export interface PageActions {
  /** Opens the browser's file dialog. */
  chooseFile(): void;
  /** Where callees of tail calls are; null if the trace does not record tail calls, or is not read yet. */
  tailCalls(): 'beside' | 'under' | null;
  /** Opens the trace again with the callees of tail calls under the functions that left by them, or beside these. */
  putTailCalls(where: 'beside' | 'under'): void;
  /** Shows the sheet of keys, or hides it. */
  toggleKeys(): void;
  /** Shows all commands, with a field to search in them. */
  showPalette(): void;
  /** Copies a text to the clipboard. */
  copy(text: string): void;
  /** Whether there can be a link to what is shown. */
  canLink(): boolean;
  /** Copies a link to what is shown. */
  copyLink(): void;
}

/** A name that commands act on. */
export interface Named {
  /** Name id, or -1 if it has none. */
  readonly id: number;
  readonly text: string;
  /** It is the name of slices, such as calls. */
  readonly isCalled: boolean;
}

/** The row of a table that a menu was opened on. */
export interface RowTarget {
  /** null if the row has no name. */
  readonly named: Named | null;
  /** The texts of its cells. */
  readonly cells: readonly string[];
  /** The expression that finds all with what the clicked cell says; null if there is none. */
  readonly term: string | null;
  /** Narrows the table by that expression; null where that is not possible. */
  readonly narrow: ((term: string) => void) | null;
  /** The type of the event that the row is about; missing or null if it is about none. */
  readonly eventType?: string | null;
  /** Shows what the row is about in the timeline; null if that is not a single thing. */
  readonly show: (() => void) | null;
}

/** A table that can be taken along. */
export interface TableTarget {
  /** Puts it into the clipboard. */
  copy(): void;
  /** Saves it as a file. */
  save(): void;
}

/** What commands can do with tracks that are made from the records on request. */
export interface Lanes {
  /** Whether there are tracks of CPUs; `unavailable` if there can be none now. */
  cpus(): 'unavailable' | 'none' | 'kept';
  keepCpus(): void;
  removeCpus(): void;
  /** The current track, if it is that of a thread whose CPUs can be shown. */
  threadWithCpus(): Track | null;
  keepCpusOf(track: number): void;
  /** The same for tracks of events. */
  events(): 'unavailable' | 'none' | 'kept';
  /** Keeps the events of a type as a track, or all by their types. */
  keepEvents(type: string | null): void;
  removeEvents(): void;
  /** The type of the selected event, or null. */
  selectedType(): string | null;
  canKeepEvents(type: string): boolean;
  nameOfType(type: string): string;
}

/** What commands can do with the trace on the screen. */
export interface TraceActions {
  /** The element of the timeline, the home of the keyboard focus. */
  readonly area: HTMLElement;
  /** Whether a slice or an instant is selected. */
  readonly hasSelection: ReadonlySignal<boolean>;
  /** Zooms at the middle of the timeline; a `factor` above 1 shows more. */
  zoom(factor: number): void;
  /** Moves the view by a part of its width; negative is to the left. */
  pan(part: number): void;
  /** Scrolls the tracks by rows of slices; negative is up. */
  scroll(rows: number): void;
  showWhole(): void;
  /** Moves the focus to the field for a position. */
  goTo(): void;
  /** Opens the search, and moves the focus to its field. */
  find(): void;
  /** Whether a search has found something. */
  readonly hasHits: ReadonlySignal<boolean>;
  /** Selects the next hit of the search, or the previous one. */
  findStep(by: 1 | -1): void;
  fitSelection(): void;
  /** Selects the first slice on the screen. */
  selectFirst(): void;
  /** Selects what is nearest in the next row below (1) or above (-1) that has something, of the same or another track. */
  stepRow(by: 1 | -1): Promise<void>;
  /** Selects a neighbour of the selected item. */
  step(to: Step): Promise<void>;
  /** Whether the trace consists of steps to walk through. */
  readonly canWalk: ReadonlySignal<boolean>;
  /** Selects the next or previous step of a kind. */
  walk(to: WalkTo, next: boolean): void;
  /** Folds the loops in the listing, or unfolds them. */
  toggleLoops(): void;
  /** Shows the loops as a track. */
  keepLoops(): void;
  /** Measures lengths from the selection to those that follow. */
  measure(): void;
  /** Adds a note at the selection, or else at the pointer or in the middle of the screen. */
  addNote(): void;
  /** Whether there is a range, or a selection with a length. */
  readonly canKeepRange: ReadonlySignal<boolean>;
  /** Adds a note on the range, or else on that of the selection. */
  keepRange(): void;
  /** Whether there is a previous place to go to, and a next one. */
  readonly canGoBack: ReadonlySignal<boolean>;
  readonly canGoForward: ReadonlySignal<boolean>;
  /** Goes to the previous place that was looked at. */
  back(): void;
  /** Goes to the next place, after going back. */
  forward(): void;
  /** The name in the file of the selected point's statement; null for anything else. */
  selectedStatement(): string | null;
  /** Shows all points of a statement, by its name in the file. */
  listOccurrences(statement: string): void;
  /** Makes the selected slice the range, or all that is measured, or else what is on the screen. */
  selectRange(): void;
  /** Makes what is on the screen the range. */
  selectScreen(): void;
  /** Whether there is a range. */
  readonly hasRange: ReadonlySignal<boolean>;
  clearRange(): void;
  /** The name of the selection, or null. */
  selectedName(): Named | null;
  /** The position of the selection as a text that can be gone to, or ''. */
  positionText(): string;
  /** Searches by an expression. */
  findTerm(term: string): void;
  /** Searches for everything with a name. */
  findName(named: Named): void;
  /** Lists the calls of a function by its name id, in the Calls panel. */
  listCalls(name: number): void;
  /** Highlights the calls of a function in the timeline. */
  highlight(name: number): void;
  /** Keeps the calls of a function as a track. */
  keepCalls(name: number): void;
  readonly lanes: Lanes;
  /** Which tracks are shown, and in which order. */
  readonly arrangement: Arrangement;
  /** The track that commands act on, if it is shown. */
  currentTrack(): LaidTrack | null;
  /** Makes a track the current one, shows it if it is hidden, and brings it into view. */
  goToTrack(id: number): void;
  /** Makes the next (1) or previous (-1) track the current one, and brings it into view. */
  stepTrack(by: 1 | -1): void;
  /** Opens the field that filters tracks, and moves the focus to it. */
  filterTracks(): void;
  /** Clears the selection or the range, the more recent one first, and then the highlighted function. */
  clearLatest(): void;
}

/** What a command acts on. */
export interface CommandContext {
  readonly page: PageActions;
  /** null while no trace is on the screen. */
  readonly trace: TraceActions | null;
  /** The row that a menu was opened on; null for a menu of anything else, and for keys. */
  readonly row: RowTarget | null;
  /** The table that a menu was opened for, as a whole; null for a menu of anything else, and for keys. */
  readonly table: TableTarget | null;
}
