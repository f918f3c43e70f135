// A short name for a text, by which the server knows whether it has the same: FNV-1a, 64 bits, over UTF-8. It is
// told apart by accident and not by attack; the browser's own digests are not there on plain HTTP.

const PRIME = 0x1b3
const WORD = 0x1_0000_0000

/** Of a text with line feeds. */
export function hashOf(text: string): string {
  let high = 0xcb_f2_9c_e4
  let low = 0x84_22_23_25
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0
    // The prime is 2^40 + 0x1b3.
    const product = low * PRIME
    high = (Math.imul(high, PRIME) + Math.floor(product / WORD) + (low << 8)) >>> 0
    low = product >>> 0
  }
  return hex(high) + hex(low)
}

const hex = (word: number): string => word.toString(16).padStart(8, '0')
