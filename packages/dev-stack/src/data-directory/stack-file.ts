import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { fileLockHolder } from '../processes/file-lock.ts'
import { dataLayout } from './data-layout.ts'

/** Content of `stack.json`: describes a ready stack to scripts and tests. Contains secrets. */
export type StackFile = {
  gatewayUrls: string[]
  /** The S3 API of each gateway. */
  s3ApiUrls: string[]
  /** Services and servers. */
  processes: StackProcess[]
  /** URL of the stack's database for the superuser. */
  postgresUrl: string
  natsUrl: string
  s3: { endpoint: string; bucket: string; region: string; accessKeyId: string; secretAccessKey: string }
  /** Directory of the first storage network. */
  networkDir: string
  networkDirs: Record<string, string>
  /** The account that development mode acts as. */
  firstUserId: string
  /** Settings of the program of operators. */
  operatorSettings: Record<string, string>
}

export type StackProcess = {
  name: 'gateway' | 'auth' | 'files' | 'sync' | 'eviction' | 'webhooks' | 'postgres' | 'nats' | 's3' | 'ipfs' | 'walrus'
  replica: number
  pid: number
  url?: string
  /** For services: the base URL of `/live`, `/ready`, and `/metrics`. */
  adminUrl?: string
}

export type StackFileKeeper = AsyncDisposable & {
  /** Writes the file with the result of `describe`. */
  publish(describe: () => StackFile): Promise<void>
  /** Rewrites the file. Does nothing before `publish`. Never throws. */
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
      // Serializes writes, so that the last change is written last.
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

/** Describes the stack on `dataDir`; undefined if no ready stack runs there. */
export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  const { lock, stackFile } = dataLayout(resolve(dataDir))
  // A killed stack leaves its file behind, but no process holds its lock.
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
