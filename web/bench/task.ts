// What the caller gives: a server, and files of its workspace that nobody has touched.
import { text } from 'node:stream/consumers'

export interface File {
  path: string
  /** A word in its first line that no other file has. */
  word: string
}

export interface Task {
  url: string
  mcp: string
  token: string
  /** Proves to be the person, who alone is given links. */
  person: string
  files: File[]
}

/** Reads it from standard input, where no other user of the machine sees the token. */
export async function readTask(): Promise<Task> {
  return JSON.parse(await text(process.stdin)) as Task
}

/** Takes files off the front, so that no two measurements share one. */
export function take({ files }: Task, count: number): File[] {
  if (files.length < count) throw new Error(`${count} more files are needed and ${files.length} are left`)
  return files.splice(0, count)
}
