// How a question looks is the person's: settings of the workspace, which agents write, must not take its colours or
// what says that there is one.
import {
  ConfigurationExtensions, ConfigurationScope, Registry, type IConfigurationRegistry,
} from '../core/upstream'

/** They count in the person's own settings alone. */
const OWN = [
  'workbench.colorCustomizations', 'workbench.statusBar.visible',
  'terminal.integrated.commandsToSkipShell',
]

/** Has to be called before the workbench reads its first settings. */
export function keepOwn(): void {
  const known = Registry.as<IConfigurationRegistry>(ConfigurationExtensions.Configuration)
  const settings = known.getConfigurationProperties()
  for (const name of OWN) {
    const setting = settings[name]
    if (!setting) throw new Error(`the workbench has no setting ${name}`)
    setting.scope = ConfigurationScope.APPLICATION
  }
}
