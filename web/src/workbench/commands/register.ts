// The server's commands in the palette, with forms for their arguments.
import type { Feature, Page } from '../core/feature'
import { CommandPalette } from './commands'
import { proposalsFrom } from './proposals'

export function register({ space }: Page): Feature {
  return { start: ({ api, notices }) => new CommandPalette(api, notices, proposalsFrom(api, space)).start(space) }
}
