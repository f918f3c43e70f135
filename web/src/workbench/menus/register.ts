// The menus of the workbench, without what is not here, and with what is ours: files, help, about.
import type { Feature, Page } from '../core/feature'

export function register({ welcome }: Page): Feature {
  return {
    later: async ({ api }) => {
      const [{ clearMenus, hideSections }, { addOwnEntries }] = await Promise.all([import('./absent'), import('./own')])
      clearMenus()
      hideSections()
      addOwnEntries(api, welcome.version)
    },
  }
}
