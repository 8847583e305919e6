import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { isFullRun } from '@tideport/testing/full-run'
import { hasKubo } from '@tideport/testing/kubo'
import type { OwnS3 } from '@tideport/testing/s3'
import type { NetworkConfig } from '../src/open-network.ts'
import { contentOf, type ObjectName, treeOf } from '../src/s3/keys.ts'
import type { LockSettings } from '../src/s3/lock.ts'
import type { CopyName, StorageNetwork } from '../src/storage-network.ts'
import { createBucketNetwork } from './bucket-network.ts'
import { createEmbeddedDirectory } from './embedded-directory.ts'
import { openIpfs } from './ipfs-under-test.ts'
import { openWalrus } from './walrus-under-test.ts'

/** A driver on a network of its own, with ways to damage this network that only the driver's tests know. */
export interface HurtableNetwork extends AsyncDisposable {
  network: StorageNetwork
  /** Opens the network like another process would. */
  open(): StorageNetwork
  /** The stored bytes of a copy. */
  contentOf(copy: CopyName): Promise<Buffer>
  /** The stored tree of a copy. */
  treeOf(copy: CopyName): Promise<Buffer>
  /** Replaces the stored bytes behind the driver's back. */
  replaceContent(copy: CopyName, bytes: Buffer): Promise<void>
  /** Replaces the stored tree; null deletes it. */
  replaceTree(copy: CopyName, bytes: Buffer | null): Promise<void>
  /** Deletes all staged, uncommitted bytes. */
  loseStaged(): Promise<void>
}

/** Also contains the settings with which other processes open the network, of installation `test-installation`. */
export interface NetworkUnderTest extends HurtableNetwork {
  config: NetworkConfig
}

/** All drivers, as the suite opens them. Add one line for a new driver. */
export const drivers: Record<string, () => Promise<NetworkUnderTest>> = {
  embedded: openEmbedded,
  s3: () => openS3({}),
  // Locks need versions, too.
  ...(isFullRun && { 's3 with versions': () => openS3({ versions: 'kept' }) }),
  's3 with locks': () => openS3({ versions: 'locked' }, { mode: 'governance', days: 30 }),
  ipfs: openIpfs,
  walrus: () => openWalrus(),
}

/** The drivers that cannot be tested on this machine, because their servers are not available. */
export const missing = (): string[] => (hasKubo() ? [] : ['ipfs'])

async function openEmbedded(): Promise<NetworkUnderTest> {
  const directory = await createEmbeddedDirectory()
  const staging = join(directory.dir, 'staging')
  const pathOf = ({ blobId, reference }: CopyName) => join(directory.dir, blobId, reference)
  return {
    network: directory.network,
    config: directory.config,
    open: () => directory.open(),
    contentOf: (copy) => readFile(pathOf(copy)),
    treeOf: (copy) => readFile(`${pathOf(copy)}.dag`),
    replaceContent: (copy, bytes) => writeFile(pathOf(copy), bytes),
    replaceTree: (copy, bytes) => (bytes ? writeFile(`${pathOf(copy)}.dag`, bytes) : rm(`${pathOf(copy)}.dag`)),
    loseStaged: async () => {
      for (const name of await readdir(staging)) await rm(join(staging, name))
    },
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  }
}

async function openS3(made: OwnS3, lock?: LockSettings): Promise<NetworkUnderTest> {
  const own = await createBucketNetwork(made, { lock })
  const { client, bucket: Bucket } = own.bucket
  const put = (Key: string, Body: Buffer) => client.send(new PutObjectCommand({ Bucket, Key, Body }))
  async function get({ key: Key, versionId: VersionId }: ObjectName): Promise<Buffer> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }))
    return await buffer(Body as AsyncIterable<Uint8Array>)
  }
  return {
    network: own.network,
    config: own.config,
    open: () => own.open(),
    contentOf: (copy) => get(contentOf(copy)),
    treeOf: (copy) => get(treeOf(copy)),
    // A version never changes, so the copy then remembers another version.
    async replaceContent(copy, bytes) {
      const { VersionId } = await put(contentOf(copy).key, bytes)
      if (copy.ref.version !== undefined) copy.ref.version = VersionId ?? ''
    },
    async replaceTree(copy, bytes) {
      const { key: Key } = treeOf(copy)
      await (bytes ? put(Key, bytes) : client.send(new DeleteObjectCommand({ Bucket, Key })))
    },
    async loseStaged() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
      for (const { Key, UploadId } of Uploads) {
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      }
    },
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  }
}
