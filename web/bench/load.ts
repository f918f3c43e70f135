// How much a first visit costs: bytes, files, and the time until a person can read.
import { get } from 'node:http'
import type { Browser } from '@playwright/test'
import type { Agent } from '../e2e/agent'
import { inFolder, launchWithProfile, newContext, openSpace, settled } from './browser'
import { take, type Task } from './task'

const LOADS = 5

export interface Load {
  files: number
  brotliBytes: number
  gzipBytes: number
}

export interface FirstText {
  coldMs: number[]
  warmMs: number[]
}

/** Everything of the app itself that one visit asks for, as the server sends it. */
export async function firstLoad(browser: Browser, agent: Agent, task: Task): Promise<Load> {
  const [file] = take(task, 1)
  await agent.call('editor_open', { path: file!.path })
  const context = await newContext(browser)
  const asked = new Set<string>()
  const encodings = new Set<string | undefined>()
  context.on('response', (response) => {
    const { pathname, protocol } = new URL(response.url())
    const isOfApp = pathname !== '/open' && !pathname.startsWith('/api/')
    if (!protocol.startsWith('http') || response.status() !== 200 || !isOfApp) return
    asked.add(response.url())
    encodings.add(response.headers()['content-encoding'])
  })
  const { page } = await openSpace(context, task, file!.word)
  await settled(page)
  await context.close()
  await agent.call('editor_close', { path: file!.path })
  if (!encodings.has('br')) throw new Error('the browser was sent nothing in brotli')
  const load = { files: asked.size, brotliBytes: 0, gzipBytes: 0 }
  for (const url of asked) {
    load.brotliBytes += await bytesOf(url, 'br', task)
    load.gzipBytes += await bytesOf(url, 'gzip', task)
  }
  return load
}

/** The length of a body on the wire. */
function bytesOf(url: string, encoding: string, { token }: Task): Promise<number> {
  const headers = { 'accept-encoding': encoding, authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const request = get(url, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`))
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}

/** From asking for the page to text in an editor; the second visit of a profile is the warm one. */
export async function firstText(agent: Agent, task: Task): Promise<FirstText> {
  const [file] = take(task, 1)
  await agent.call('editor_open', { path: file!.path })
  const visit = async (folder: string) => {
    const context = await launchWithProfile(folder)
    try {
      const { page, shown } = await openSpace(context, task, file!.word)
      // What is still loaded belongs to this visit: the next one finds it in the cache.
      await settled(page)
      return shown
    } finally {
      await context.close()
    }
  }
  const times: FirstText = { coldMs: [], warmMs: [] }
  for (let load = 0; load < LOADS; load++) {
    await inFolder(async (folder) => {
      times.coldMs.push(await visit(folder))
      times.warmMs.push(await visit(folder))
    })
  }
  await agent.call('editor_close', { path: file!.path })
  return times
}
