/** A message of a worker that ends one request. */
export interface AnyReply {
  readonly t: string;
  readonly id: number;
}

/** The requests to a worker that wait for a reply, by id. */
export interface Requests<Message, Reply extends AnyReply> {
  /** Sends the message that `message` makes of a new id. Resolves with null if the worker ends before it replies. */
  ask<T extends Reply['t']>(type: T, message: (id: number) => Message): Promise<Extract<Reply, { t: T }> | null>;
  /** As {@link Requests.ask}, and resolves the previous request for the same type with null. */
  askNewest<T extends Reply['t']>(type: T, message: (id: number) => Message): Promise<Extract<Reply, { t: T }> | null>;
  /** Hands a reply to its request. A reply to a superseded request is dropped. */
  settle(reply: Reply): void;
  /** Resolves all waiting requests with null, and all later ones at once. */
  end(): void;
}

/** No requests yet; `post` sends a message to the worker. */
export function createRequests<Message, Reply extends AnyReply>(
  post: (message: Message) => void,
): Requests<Message, Reply> {
  const waiting = new Map<number, (reply: Reply | null) => void>();
  const newest = new Map<Reply['t'], number>();
  let lastId = 0;
  let ended = false;

  const settleWith = (id: number, reply: Reply | null) => {
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve?.(reply);
  };
  const send = <T extends Reply['t']>(type: T, id: number, message: (id: number) => Message) =>
    new Promise<Extract<Reply, { t: T }> | null>((resolve) => {
      waiting.set(id, (reply) => resolve(reply !== null && isOf(reply, type) ? reply : null));
      post(message(id));
    });
  const ask: Requests<Message, Reply>['ask'] = (type, message) => {
    if (ended) return Promise.resolve(null);
    lastId += 1;
    return send(type, lastId, message);
  };
  return {
    ask,
    askNewest: (type, message) => {
      // The worker replies to the newest request only, so the older one would wait forever.
      settleWith(newest.get(type) ?? 0, null);
      const reply = ask(type, message);
      newest.set(type, lastId);
      return reply;
    },
    settle: (reply) => settleWith(reply.id, reply),
    end: () => {
      ended = true;
      for (const id of [...waiting.keys()]) settleWith(id, null);
    },
  };
}

function isOf<Reply extends AnyReply, T extends Reply['t']>(reply: Reply, type: T): reply is Extract<Reply, { t: T }> {
  return reply.t === type;
}
