import { appendFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/node.ts'

it('keeps other lines when a full disk truncates one', async () => {
  await using directory = await createTemporaryDirectory('journal')
  const path = join(directory.path, 'journal')
  const journal = await openJournal(path)
  await journal.write('a', { fileId: '1' })
  await appendFile(path, '{"key":"b","fil')
  await journal.write('c', { fileId: '3' })
  await journal.close()

  await using again = await openJournal(path)
  expect(['a', 'b', 'c'].map((key) => again.read(key))).toEqual([{ fileId: '1' }, undefined, { fileId: '3' }])
  expect(await readFile(path, 'utf8')).toBe('{"key":"a","fileId":"1"}\n{"key":"c","fileId":"3"}\n')
})

it('ignores planted files and lines', async () => {
  await using directory = await createTemporaryDirectory('journal')
  const [path, theirs] = [join(directory.path, 'journal'), join(directory.path, 'theirs')]
  await writeFile(path, 'null\n7\n{"key":"a","fileId":"1"}\n')
  await writeFile(theirs, 'theirs')
  await symlink(theirs, `${path}.new`)
  await using journal = await openJournal(path)
  expect(journal.read('a')).toEqual({ fileId: '1' })
  expect(await readFile(theirs, 'utf8')).toBe('theirs')
})
