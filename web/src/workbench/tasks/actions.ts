// The names of what people do with tasks: those by which their keys know them from VS Code.
export const TASK_ACTIONS = {
  run: 'workbench.action.tasks.runTask',
  build: 'workbench.action.tasks.build',
  test: 'workbench.action.tasks.test',
  again: 'workbench.action.tasks.reRunTask',
  stop: 'workbench.action.tasks.terminate',
  configure: 'workbench.action.tasks.configureTaskRunner',
} as const
