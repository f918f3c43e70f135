// What a feature of the page is made of: what it adds to the workbench, and what it does once that is there.
//
// A feature is a folder beside this one with a `register.ts`, whose `register` is called before the workbench
// starts. Features never import each other: what one needs of another is an interface in this folder, and
// `start.ts` hands it over.
import type { Space } from '../../protocol/space'
import type { Welcome } from '../../protocol/state'
import type { Api } from './api'
import type { Notices } from './notices'

/** What there is when features are registered. */
export interface Page {
  space: Space
  welcome: Welcome
}

/** What there is when they start. */
export interface Workbench {
  api: Api
  notices: Notices
  /** The element of the workbench: its colours end there, so what lies over it is put inside. */
  container: HTMLElement
}

export interface Feature {
  contributes?: Contributions
  /** Called once, after those of the features before it in `start.ts` are done. */
  start?(workbench: Workbench): void | Promise<void>
  /**
   * Called once, when the first text is on screen. What nobody misses before that is imported here, so that the
   * text does not wait for it.
   */
  later?(workbench: Workbench): void | Promise<void>
}

/** What the workbench is told of a feature before it starts. Commands of the space come from the server instead. */
export interface Contributions {
  actions?: readonly Action[]
  /** Menus within menus, by their names: their titles. */
  submenus?: Record<string, string>
  /** Entries of menus, by the menu's name. */
  menus?: Record<string, readonly MenuEntry[]>
  colors?: readonly object[]
  /** Settings of a person, by their names, as JSON schemas. */
  settings?: Record<string, object>
}

/** A command that only a page can do. */
export interface Action {
  id: string
  title: string
  /** Stands before the title in the palette; the product's name where none is given. */
  category?: string
  icon?: string
  key?: string
  /** When the key is for this action. */
  when?: string
}

export interface MenuEntry {
  command?: string
  submenu?: string
  group: string
  when?: string
}
