// Search in files and for files, answered by the server.
import type { Feature } from '../core/feature'
import { useServerSearch } from './search'

export function register(): Feature {
  return { start: () => useServerSearch() }
}
