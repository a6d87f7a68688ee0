// The address of Unspool, which may be on another host. Messages go to its origin only, and only its own are heard.
const address = new URL('../', location.href);
const frame = document.getElementById('unspool');
const [open, view, close] = ['open', 'view', 'close'].map((id) => document.getElementById(id));
const messages = document.getElementById('messages');

/** What `unspool:opened` said about the trace: positions are bigints. */
let trace = null;

const send = (message, transfer = []) => frame.contentWindow.postMessage(message, address.origin, transfer);

window.addEventListener('message', ({ data, source, origin }) => {
  if (source !== frame.contentWindow || origin !== address.origin) return;
  const text = JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  messages.value += `${text}\n`;
  messages.scrollTop = messages.scrollHeight;
  if (data.type === 'unspool:ready') open.disabled = false;
  if (data.type === 'unspool:opened') trace = data;
  if (data.type === 'unspool:closed' || data.type === 'unspool:failed') trace = null;
  view.disabled = close.disabled = trace === null;
});

open.addEventListener('click', async () => {
  const reply = await fetch(new URL('samples/threads.xray', address));
  const buffer = await reply.arrayBuffer();
  send({ type: 'unspool:open', name: 'threads.xray', buffer }, [buffer]);
});
view.addEventListener('click', () => {
  const quarter = (trace.to - trace.from) / 4n;
  const range = { from: trace.from + quarter, to: trace.to - quarter };
  send({ type: 'unspool:view', view: range, range });
});
close.addEventListener('click', () => send({ type: 'unspool:close' }));

// Last: its first message is not to be missed.
frame.src = address.href;
