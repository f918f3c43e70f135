// Stands in for the library that guesses text encodings, which is not shipped: nothing is guessed.
const nothing = { encoding: null, confidence: 0 }

export const detect = () => nothing
export const detectAll = () => [nothing]
export const enableDebug = () => undefined
export default { detect, detectAll, enableDebug }
