// Colours of names by what they mean. A server numbers kinds by a list of its own; where several servers serve one
// language, their lists are joined and their numbers translated.

export interface Legend {
  tokenTypes: string[]
  tokenModifiers: string[]
}

export function joined(legends: readonly Legend[]): Legend {
  return {
    tokenTypes: [...new Set(legends.flatMap(({ tokenTypes }) => tokenTypes))],
    tokenModifiers: [...new Set(legends.flatMap(({ tokenModifiers }) => tokenModifiers))],
  }
}

/** Five numbers a token: line and column since the one before, length, kind, bits of modifiers. */
export function tokensOf(data: readonly number[], from: Legend, to: Legend): Uint32Array {
  const tokens = Uint32Array.from(data)
  const types = from.tokenTypes.map((type) => to.tokenTypes.indexOf(type))
  const modifiers = from.tokenModifiers.map((modifier) => to.tokenModifiers.indexOf(modifier))
  const isSame = (places: number[]) => places.every((place, index) => place === index)
  if (isSame(types) && isSame(modifiers)) return tokens
  for (let at = 0; at + 4 < tokens.length; at += 5) {
    tokens[at + 3] = types[tokens[at + 3] ?? 0] ?? 0
    const bits = tokens[at + 4] ?? 0
    tokens[at + 4] = modifiers.reduce((all, place, index) => (bits & (1 << index) ? all | (1 << place) : all), 0)
  }
  return tokens
}
