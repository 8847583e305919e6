import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { fileLockHolder } from '../processes/file-lock.ts'
import { dataLayout } from './data-layout.ts'

/** What `stack.json` tells scripts and tests about a stack that is ready. Holds secrets. */
export type StackFile = {
  gatewayUrls: string[]
  /** Services and servers alike. */
  processes: StackProcess[]
  /** The stack's database, as superuser. */
  postgresUrl: string
  natsUrl: string
  s3: { endpoint: string; bucket: string; region: string; accessKeyId: string; secretAccessKey: string }
  /** Of the storage network, the first one where there are several. */
  networkDir: string
  networkDirs: Record<string, string>
  /** The account that development mode acts as. */
  firstUserId: string
}

export type StackProcess = {
  name: 'gateway' | 'auth' | 'files' | 'sync' | 'eviction' | 'webhooks' | 'postgres' | 'nats' | 's3' | 'ipfs' | 'walrus'
  replica: number
  pid: number
  url?: string
  /** Of services: where `/live`, `/ready` and `/metrics` are. */
  adminUrl?: string
}

export type StackFileKeeper = AsyncDisposable & {
  /** From now on the file is there and tells what `describe` returns. */
  publish(describe: () => StackFile): Promise<void>
  /** Something changed. Before `publish` there is nothing to do. Never throws. */
  update(): Promise<void>
}

export function keepStackFile(file: string, report: (line: string) => void): StackFileKeeper {
  let write: () => Promise<void> = async () => {}
  let writing = Promise.resolve()
  return {
    async publish(describe) {
      write = () => writeAtomically(file, `${JSON.stringify(describe(), null, 2)}\n`)
      await write()
    },
    update() {
      // One after the other, so that the last change is the last one written.
      writing = writing.then(() => write()).catch((error: Error) => report(`${file}: ${error.message}`))
      return writing
    },
    async [Symbol.asyncDispose]() {
      write = async () => {}
      await writing
      await rm(file, { force: true })
    },
  }
}

/** What the stack on `dataDir` is; undefined when none runs there that is ready. */
export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  const { lock, stackFile } = dataLayout(resolve(dataDir))
  // A stack that was killed leaves its file behind, but nobody holds its lock.
  return (await fileLockHolder(lock)) === undefined ? undefined : loadStackFile(stackFile)
}

async function loadStackFile(file: string): Promise<StackFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
