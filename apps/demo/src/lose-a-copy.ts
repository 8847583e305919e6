import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 200
const WAIT_MS = 120_000

export interface Copies {
  copies: readonly { network: string; state: string; blobId: string | null }[]
}

export interface Timeline {
  timeline: readonly { type: string; details: { readonly network?: unknown } }[]
}

export interface Loss {
  fileId: string
  /** By network name. Reads try the first network first. */
  networkDirs: Readonly<Record<string, string>>
  readCopies: () => Promise<Copies>
  readTimeline: () => Promise<Timeline>
  /** Throws unless every read returns the original. */
  readFile: () => Promise<void>
  tell: (line: string) => void
}

/**
 * Deletes a cold file's copy on the network that is read first. Reads still succeed, the loss is found, and the copy is
 * restored from another network. Throws at the first wrong result.
 */
export async function loseACopy({
  fileId,
  networkDirs,
  readCopies,
  readTimeline,
  readFile,
  tell,
}: Loss): Promise<void> {
  const [[network, dir] = ['', '']] = Object.entries(networkDirs)
  tell(`copies: ${proved(await readCopies(), Object.keys(networkDirs))}`)
  const before = (await readTimeline()).timeline.length
  const taken = (await readdir(dir, { recursive: true })).filter((path) => basename(path).startsWith(fileId))
  if (taken.length === 0) throw new Error(`The file has no copy in ${dir}`)
  for (const path of taken) await rm(join(dir, path))
  tell(`the copy on ${network} was deleted from the disk`)
  await readFile()
  tell('the file reads back unchanged from another network')

  const isOver = ({ type, details }: Timeline['timeline'][number]) =>
    type === 'copy.proved' && details.network === network
  for (const startedAt = performance.now(); ; await delay(POLL_MS)) {
    const since = (await readTimeline()).timeline.slice(before)
    if (since.some(isOver)) {
      tell(`timeline since then: ${since.map(({ type, details }) => `${type} (${details.network})`).join(', ')}`)
      break
    }
    if (performance.now() - startedAt > WAIT_MS) throw new Error(`The copy on ${network} was not re-created`)
  }
  const [healed] = (await readdir(dir, { recursive: true })).filter((path) => basename(path).startsWith(fileId))
  if (healed === undefined) throw new Error(`${network} has no copy, although the API reports one`)
  tell(`copies: ${proved(await readCopies(), Object.keys(networkDirs))}`)
  await readFile()
}

function proved({ copies }: Copies, networks: readonly string[]): string {
  const told = copies.map(({ network, state }) => `${network} ${state}`).toSorted()
  const expected = networks.map((network) => `${network} proved`).toSorted()
  if (told.join() !== expected.join()) throw new Error(`The copies are ${told.join(', ')}, not ${expected.join(', ')}`)
  return told.join(', ')
}
