// The workbench's helper threads, from this origin.

/** Vite bundles a worker only where it reads `new Worker(new URL(…))`; this only notes the address. */
class Worker {
  constructor(
    readonly url: string | URL,
    readonly options?: WorkerOptions,
  ) {}
}

const workers: Record<string, Worker> = {
  editorWorkerService: new Worker(new URL('monaco-editor/esm/vs/editor/editor.worker.js', import.meta.url), { type: 'module' }),
  TextMateWorker: new Worker(new URL('@codingame/monaco-vscode-textmate-service-override/worker', import.meta.url), { type: 'module' }),
}

export function useWorkers(): void {
  Object.assign(window, {
    MonacoEnvironment: {
      getWorkerUrl: (_: unknown, label: string) => workers[label]?.url.toString(),
      getWorkerOptions: (_: unknown, label: string) => workers[label]?.options,
    },
  })
  // They are started when a file needs them: fetched by then, they also start while the server is away.
  for (const { url } of Object.values(workers)) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = url.toString()
    document.head.append(link)
  }
}
