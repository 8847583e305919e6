import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Epochs } from './epochs.ts'
import { writeWhole } from './write-whole.ts'

/** A Sui object: one registration of a blob. */
export interface BlobObject {
  id: string
  storageId: string
  startEpoch: number
  /** The first epoch after the storage period. */
  endEpoch: number
  isPermanent: boolean
  owner: string | null
}

export interface BlobRecord {
  blobId: string
  sizeBytes: number
  objects: BlobObject[]
}

export interface Blobs {
  readonly incoming: string
  pathOf(blobId: string): string
  /** Null if no registration of the blob covers the current epoch. */
  find(blobId: string): Promise<BlobRecord | null>
  findByObject(objectId: string): Promise<BlobRecord | null>
  register(file: string, blob: { blobId: string; sizeBytes: number }, object: NewObject): Promise<BlobObject>
  replace(file: string, blobId: string): Promise<void>
  forget(blobId: string): Promise<void>
  /** Deletes blobs without a registration for the current epoch. */
  collect(): Promise<void>
}

export type NewObject = Pick<BlobObject, 'endEpoch' | 'isPermanent' | 'owner'>

export async function openBlobs(dataDir: string, epochs: Epochs): Promise<Blobs> {
  const [incoming, blobs, objects] = ['incoming', 'blobs', 'objects'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ]
  await rm(incoming, { recursive: true, force: true }) // left behind by a killed process
  for (const dir of [incoming, blobs, objects]) await mkdir(dir, { recursive: true })
  const pathOf = (blobId: string) => join(blobs, blobId)
  const recordOf = (blobId: string) => join(blobs, `${blobId}.json`)
  const read = async (blobId: string): Promise<BlobRecord | null> =>
    await readFile(recordOf(blobId), 'utf8').then(JSON.parse, () => null)
  let last: Promise<unknown> = Promise.resolve()
  /** Serializes changes of records. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const isPaid = ({ endEpoch }: BlobObject) => endEpoch > epochs.current()

  async function find(blobId: string): Promise<BlobRecord | null> {
    const record = await read(blobId)
    return record?.objects.some(isPaid) ? record : null
  }
  async function drop(blobId: string): Promise<void> {
    for (const { id } of (await read(blobId))?.objects ?? []) await rm(join(objects, id), { force: true })
    await rm(recordOf(blobId), { force: true })
    await rm(pathOf(blobId), { force: true })
  }
  return {
    incoming,
    pathOf,
    find,
    async findByObject(objectId) {
      const blobId = await readFile(join(objects, objectId), 'utf8').catch(() => null)
      return blobId === null ? null : await find(blobId)
    },
    register: (file, { blobId, sizeBytes }, object) =>
      alone(async () => {
        const registered = { id: newId(), storageId: newId(), startEpoch: epochs.current(), ...object }
        const others = (await read(blobId))?.objects.filter(isPaid) ?? []
        await rename(file, pathOf(blobId))
        await writeWhole(join(objects, registered.id), blobId)
        await writeWhole(recordOf(blobId), JSON.stringify({ blobId, sizeBytes, objects: [...others, registered] }))
        return registered
      }),
    replace: (file, blobId) => alone(() => rename(file, pathOf(blobId))),
    forget: (blobId) => alone(() => drop(blobId)),
    collect: () =>
      alone(async () => {
        for (const name of await readdir(blobs)) {
          const blobId = name.replace(/\.json$/, '')
          if (blobId !== name && (await find(blobId)) === null) await drop(blobId)
        }
      }),
  }
}

const newId = () => `0x${randomBytes(32).toString('hex')}`

export async function removeIncoming(file: string): Promise<void> {
  await unlink(file).catch(() => undefined)
}
