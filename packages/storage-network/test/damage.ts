import { appendFile, copyFile, mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flipByte } from './embedded-directory.ts'

const MIB = 1024 * 1024

/** Damages a copy. `other` is the path of another blob's copy. */
export type Hurt = (path: string, other: string) => Promise<unknown>

const grow: Hurt = (path) => appendFile(path, 'garbage')
const asDirectory: Hurt = async (path) => {
  await rm(path, { force: true })
  await mkdir(join(path, 'below'), { recursive: true })
}
const ofSidecar =
  (hurt: Hurt): Hurt =>
  (path, other) =>
    hurt(`${path}.dag`, `${other}.dag`)

/** Damage that leaves the bytes intact, and the repairs by a proof (`mended`). */
export const mendable: Record<string, { hurt: Hurt; mended: string[]; small?: true }> = {
  'content grown': { hurt: grow, mended: ['length'], small: true },
  'content grown by leaves': { hurt: (path) => truncate(path, 4 * MIB), mended: ['length'], small: true },
  'sidecar deleted': { hurt: ofSidecar((path) => rm(path)), mended: ['tree'] },
  'sidecar emptied': { hurt: ofSidecar((path) => truncate(path)), mended: ['tree'] },
  'sidecar cut': { hurt: ofSidecar((path) => truncate(path, 70)), mended: ['tree'] },
  'sidecar grown': { hurt: ofSidecar(grow), mended: ['tree'] },
  'sidecar far too long': { hurt: ofSidecar((path) => truncate(path, 1024 ** 4)), mended: ['tree'] },
  'sidecar flipped': { hurt: ofSidecar((path) => flipByte(path, 60)), mended: ['tree'] },
  "another blob's sidecar": { hurt: ofSidecar((path, other) => copyFile(other, path)), mended: ['tree'] },
  'sidecar a directory': { hurt: ofSidecar(asDirectory), mended: ['tree'] },
  'both grown': {
    hurt: async (path, other) => {
      await grow(path, other)
      await ofSidecar(grow)(path, other)
    },
    mended: ['length', 'tree'],
  },
}

/** Damage that loses bytes. */
export const lossOf: Record<string, { hurt: Hurt; reason: 'absent' | 'mismatch' }> = {
  'content flipped': { hurt: (path) => flipByte(path, 60_000), reason: 'mismatch' },
  'content cut': { hurt: (path) => truncate(path, 60_000), reason: 'mismatch' },
  'content emptied': { hurt: (path) => truncate(path), reason: 'mismatch' },
  "another blob's content": { hurt: (path, other) => copyFile(other, path), reason: 'mismatch' },
  'content flipped and grown': {
    hurt: async (path, other) => {
      await flipByte(path, 60_000)
      await grow(path, other)
    },
    reason: 'mismatch',
  },
  'content deleted': { hurt: (path) => rm(path), reason: 'absent' },
  'content a directory': { hurt: asDirectory, reason: 'mismatch' },
  'both gone': { hurt: (path) => Promise.all([rm(path), rm(`${path}.dag`, { force: true })]), reason: 'absent' },
  'directory gone': { hurt: (path) => rm(dirname(path), { recursive: true }), reason: 'absent' },
  'directory a file': {
    hurt: async (path) => {
      await rm(dirname(path), { recursive: true })
      await writeFile(dirname(path), 'garbage')
    },
    reason: 'absent',
  },
}
