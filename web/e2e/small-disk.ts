// A small disk for a server's own state, which a test fills and empties. It is a mount that nobody sees but who
// enters it, and goes with the process that holds it.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'

const SIZE = '4m'
const BLOCK = Buffer.alloc(4096)

export class SmallDisk {
  private constructor(
    private readonly folder: string,
    private readonly holder: ChildProcess,
  ) {}

  /** A disk at this folder, which must exist. */
  static async at(folder: string): Promise<SmallDisk> {
    const script = `mount -t tmpfs -o size=${SIZE},mode=700 openspace-test "$0" && echo mounted && exec sleep 600`
    const holder = spawn('unshare', [...asRoot(), '--mount', 'sh', '-c', script, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: holder.stdout })
    const said = await Promise.race([once(lines, 'line'), once(holder, 'exit')])
    if (said[0] !== 'mounted') throw new Error('this test needs a mount of its own')
    return new SmallDisk(folder, holder)
  }

  /** What a program is started with to have the disk. */
  get entry(): string[] {
    const { pid } = this.holder
    const user = asRoot().length > 0 ? [`--user=/proc/${pid}/ns/user`, '--preserve-credentials'] : []
    return ['nsenter', `--mount=/proc/${pid}/ns/mnt`, ...user]
  }

  /** Leave no room. What is on the disk already may still be changed in its place. */
  async fill(): Promise<void> {
    const file = await open(this.ballast, 'a')
    try {
      for (;;) await file.write(BLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      await file.close()
    }
  }

  async free(): Promise<void> {
    await rm(this.ballast)
  }

  async remove(): Promise<void> {
    const gone = once(this.holder, 'exit')
    this.holder.kill('SIGKILL')
    await gone
  }

  private get ballast(): string {
    return `/proc/${this.holder.pid}/root${this.folder}/ballast`
  }
}

/** Only root may mount; others are root in a namespace of their own. */
function asRoot(): string[] {
  return process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
}
