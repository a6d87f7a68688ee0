/** What reads a trace in turns, from its beginning to its end. It answers questions between the turns. */
export interface Turns<Opened, News> {
  /**
   * Opens what is read, and begins. `report` gets how far it is: now and then, when it is stopped, and at the end. `failed`
   * gets a sentence if it cannot begin or go on. Does not resolve: it reports as long as it lives.
   */
  open(what: Opened, report: (news: News) => void, failed: (sentence: string) => void): Promise<void>;
  /** Stops after the current turn, or goes on. */
  stop(): void;
  goOn(): void;
}
