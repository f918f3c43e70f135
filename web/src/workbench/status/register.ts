// How things stand: the connection, the page's own version, the agents, and whether they are followed.
import type { Listeners } from '../../protocol/listeners'
import type { Feature, Page } from '../core/feature'
import { tellAside } from './aside'
import { ConnectionBanner } from './connection'
import { watchPage } from './page-update'
import { tellSeenSecrets } from './secrets'
import { StatusBar } from './status'
import { StoreBanner } from './store'

export function register({ space, welcome }: Page, agents: { onFollowing: Listeners<boolean> }): Feature {
  return {
    start: ({ api, notices, container }) => {
      watchPage(space, welcome, notices)
      tellAside(space, notices)
      tellSeenSecrets(space, notices)
      new ConnectionBanner(container, space)
      new StoreBanner(container, space, notices)
      const bar = new StatusBar(api, space, welcome.unconfined)
      agents.onFollowing.on((isFollowing) => bar.showFollowing(isFollowing))
    },
  }
}
