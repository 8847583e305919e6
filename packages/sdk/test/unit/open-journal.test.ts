import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/node.ts'

it('a line that a full disk cut off takes no other with it', async () => {
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
