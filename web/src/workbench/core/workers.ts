// The workbench's helper threads, from this origin.

/** Vite bundles a worker only where it reads `new Worker(new URL(…))`; this only notes the address. */
class Worker {
  constructor(
    readonly url: string | URL,
    readonly options?: WorkerOptions,
  ) {}
}

const editorWorker = new Worker(
  new URL('monaco-editor/esm/vs/editor/editor.worker.js', import.meta.url), { type: 'module' },
)
const workers: Record<string, Worker> = {
  editorWorkerService: editorWorker,
  // Off unless a person turns it on, see the defaults.
  TextMateWorker: new Worker(
    new URL('@codingame/monaco-vscode-textmate-service-override/worker', import.meta.url), { type: 'module' },
  ),
}

export function useWorkers(): void {
  Object.assign(window, {
    MonacoEnvironment: {
      getWorkerUrl: (_: unknown, label: string) => workers[label]?.url.toString(),
      getWorkerOptions: (_: unknown, label: string) => workers[label]?.options,
    },
  })
  // It is started when a file needs it: fetched by then, it also starts while the server is away.
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = editorWorker.url.toString()
  document.head.append(link)
}
