import type { FileRecord } from '@tideport/sdk'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { namesBy } from '../../src/local/encode-names.ts'
import { findClashes, nameKeyOf } from '../../src/local/one-name.ts'
import { planIncoming } from '../../src/sync/plan-incoming.ts'

/** Case-insensitive, like Macs and Windows. */
const folded = (name: string) => name.toLowerCase()

const local = (name: string) => ({ name, path: `/copy/${name}`, size: 1, mtimeMs: 1, ctimeMs: 1, inode: 1 })
const remote = (name: string) => ({ name, file: { path: name } as FileRecord })

function planned(
  { localOnly = [], same = [], remoteOnly = [] }: Partial<Record<'localOnly' | 'same' | 'remoteOnly', string[]>>,
  keyOf = folded,
) {
  // biome-ignore format: one line
  const found = {
    ...{ localOnly: localOnly.map(local), same, remoteOnly: remoteOnly.map(remote), different: [] },
    ...{ spelled: new Map<string, string>(), partFolders: new Set<string>(), failed: 0 },
  }
  return planIncoming({ root: '/copy', names: namesBy(false, '') }, found, keyOf).map(
    ({ place, inTheWay }) => inTheWay ?? place,
  )
}

it('never replaces files whose names are the same on the disk', () => {
  const paths = ['Trip/a', 'Trip/b', 'trip/c', 'Trip/A', 'other']
  expect([...findClashes(paths, folded).keys()]).toEqual(['trip/c', 'Trip/A'])
  expect(findClashes(paths, folded).get('trip/c')).toBe(
    '"trip" and "Trip" are the same name on this disk. Rename one of them',
  )
  // Existing local files stay.
  const [first, second] = planned({ same: ['b.txt'], remoteOnly: ['A.txt', 'B.txt'] }) as (() => string)[]
  expect(first?.()).toBe('/copy/A.txt')
  expect(() => second?.()).toThrow('"B.txt" and "b.txt" are the same name on this disk')
})

it('treats another local spelling as a blocker, so that it is deleted first', () => {
  expect(planned({ localOnly: ['a.txt'], remoteOnly: ['A.txt'] })).toEqual(['a.txt'])
  expect(planned({ localOnly: ['Trip/old'], remoteOnly: ['trip/new'] })).toEqual(['Trip/old'])
  expect(planned({ localOnly: ['a'], remoteOnly: ['A/b'] })).toEqual(['a'])
  const exactly = (name: string) => name
  expect(planned({ localOnly: ['a.txt', 'Trip/old'], remoteOnly: ['A.txt', 'trip/new'] }, exactly)).toEqual([expect.any(Function), expect.any(Function)]) // biome-ignore format: one claim
})

it('probes the disk itself, and leaves no probe behind', async () => {
  await using directory = await createTemporaryDirectory('names')
  const keyOf = await nameKeyOf(directory.path)
  expect(keyOf('A') === keyOf('a')).toBe(process.platform === 'darwin' || process.platform === 'win32')
  expect((await nameKeyOf('/nowhere'))('A')).toBe('A')
})
