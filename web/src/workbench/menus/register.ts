// The menus of the workbench, without what is not here, and with what is ours: files, help, about.
import type { Feature, Page } from '../core/feature'

export function register({ welcome }: Page): Feature {
  return {
    later: async ({ api }) => {
      const [absent, { addOwnEntries }] = await Promise.all([import('./absent'), import('./own')])
      absent.clearMenus()
      absent.hideSections()
      await absent.clearPlaces()
      addOwnEntries(api, welcome.version)
    },
  }
}
