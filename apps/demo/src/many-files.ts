import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createVault, publicFileBytes, readCopies, upload } from '@tideport/sdk'

const SIZE_BYTES = 2000
const AT_ONCE = 6
const POLL_MS = 500
const READ_PAUSE_MS = 500
/** Each upload adds a file to move. */
const UPLOAD_PAUSE_MS = 2000
const WAIT_MS = 15 * 60_000

interface SmallFile {
  id: string
  sha256: string
}

export interface ManyFiles {
  readonly count: number
  upload(count: number): Promise<void>
  /** Uploads and reads files until stopped, and then returns the counts or throws the first error. */
  keepUsing(): () => Promise<{ uploads: number; reads: number }>
  /** Waits until each file has exactly these copies, all proved. Throws after too long. */
  awaitCopies(networks: readonly string[]): Promise<void>
  /** Throws unless all files have the uploaded bytes. */
  readAll(): Promise<void>
}

export async function createManyFiles(client: Client): Promise<ManyFiles> {
  const { id: vaultId } = await createVault(client, { name: 'Demo many', visibility: 'public' })
  const files: SmallFile[] = []

  async function uploadOne(): Promise<void> {
    const bytes = randomBytes(SIZE_BYTES)
    const { id } = await upload(client, bytes, { vaultId, name: 'small.bin' })
    files.push({ id, sha256: sha256(bytes) })
  }

  async function readOne(file: SmallFile): Promise<void> {
    const bytes = await (await publicFileBytes(client, { fileId: file.id })).arrayBuffer()
    if (sha256(new Uint8Array(bytes)) !== file.sha256)
      throw new Error(`The bytes of file ${file.id} differ from the uploaded bytes`)
  }

  async function hasCopies({ id }: SmallFile, wanted: string): Promise<boolean> {
    const { copies } = await readCopies(client, { fileId: id })
    const kept = copies.filter(({ state }) => state !== 'dropped')
    return provedOn(kept.map(({ network, state }) => `${network} ${state}`)) === wanted
  }

  return {
    get count() {
      return files.length
    },
    upload: (count) => forEach(Array(count).keys(), uploadOne),
    keepUsing() {
      const stopping = new AbortController()
      const repeat = async (work: () => Promise<void>, pauseMs: number) => {
        let times = 0
        for (; !stopping.signal.aborted; times += 1) {
          await work()
          await delay(pauseMs)
        }
        return times
      }
      const any = () => files[Math.floor(Math.random() * files.length)] as SmallFile
      const working = Promise.all([repeat(uploadOne, UPLOAD_PAUSE_MS), repeat(() => readOne(any()), READ_PAUSE_MS)])
      working.catch(() => stopping.abort()) // The function that stops the work reports the error.
      return async () => {
        stopping.abort()
        const [uploads, reads] = await working
        return { uploads, reads }
      }
    },
    async awaitCopies(networks) {
      const wanted = provedOn(networks.map((network) => `${network} proved`))
      const startedAt = performance.now()
      // Polls one file at a time, to leave the CPU to the workers.
      await forEach(files.slice().values(), async (file) => {
        while (!(await hasCopies(file, wanted))) {
          if (performance.now() - startedAt > WAIT_MS)
            throw new Error(`The copies of file ${file.id} are not ${wanted}`)
          await delay(POLL_MS)
        }
      })
    },
    readAll: () => forEach(files.values(), readOne),
  }
}

async function forEach<T>(items: Iterator<T> & Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const next = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

const provedOn = (copies: readonly string[]) => copies.toSorted().join(', ')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
