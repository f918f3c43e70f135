// What a browser itself complains about while a server is away or does not let it in.

/** A connection that was kept for the next question may end with the server between two words of it. */
const OUTAGE = new RegExp([
  'WebSocket connection to',
  'net::ERR_(CONNECTION_(REFUSED|RESET)|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)',
].join('|'))
/** Of a server that ends in the middle of an answer, and the next that does not know who asks. */
const KILL = new RegExp([
  'net::ERR_CONTENT_LENGTH_MISMATCH',
  String.raw`404 \(Not Found\).*view\.report`,
  'whether the page was updated',
].join('|'))
/** The browser notes each answer that is a refusal; the page then saved what had been merged. */
const MERGED = /409 \(Conflict\).*file\.save/
/** The browser notes each answer that is a refusal: of an agent that is not there, whatever is asked of it. */
const NO_AGENT = /status of (403|404|502|503).*openspace\.chat\./
/** What must last and cannot. */
const NOT_SAVED = /507 \(Insufficient Storage\).*(layout\.save|ui-state)|Layout: Save: the server cannot write/
const REFUSAL = /WebSocket connection to|status of 401/

/** Take the browser's own words about a server that was away from the complaints; everything else stays. */
export function forgiveOutage(complaints: string[]): void {
  forgive(complaints, OUTAGE)
}

/** The same for a server that was killed in the middle of its work. */
export function forgiveKill(complaints: string[]): void {
  forgive(complaints, OUTAGE)
  forgive(complaints, KILL)
}

/** The same for a server that refused this browser. */
export function forgiveRefusal(complaints: string[]): void {
  forgive(complaints, OUTAGE)
  forgive(complaints, REFUSAL)
}

/** The same for saves that met somebody's change. */
export function forgiveMergedSaves(complaints: string[]): void {
  forgive(complaints, MERGED)
}

/** The same for what was asked of an agent that is not there. */
export function forgiveNoAgent(complaints: string[]): void {
  forgive(complaints, NO_AGENT)
}

/** The same for what a server with a full disk refused to do. */
export function forgiveNotSaved(complaints: string[]): void {
  forgive(complaints, NOT_SAVED)
}

function forgive(complaints: string[], words: RegExp): void {
  complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !words.test(complaint)))
}
