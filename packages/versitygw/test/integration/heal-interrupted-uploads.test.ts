import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { healInterruptedUploads } from '../../src/heal-interrupted-uploads.ts'

const uploads = 'bucket/.sgwtmp/multipart/0a1b'
const interrupted = '1111-2222.d41d8cd98f00b204e9800998ecf8427e-2.inprogress'

async function makeUpload(tree: string, name: string, part: string): Promise<void> {
  await mkdir(join(tree, uploads, name), { recursive: true })
  await writeFile(join(tree, uploads, name, '1'), part)
}

async function setUp() {
  const dir = await mkdtemp(join(tmpdir(), 'tideport-versitygw-'))
  const [objects, metadata] = [join(dir, 'objects'), join(dir, 'metadata')]
  const contents = (tree: string) => readFile(join(tree, uploads, '1111-2222/1'), 'utf8')
  return { objects, metadata, contents, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

test('moves an interrupted upload back to its ID in both trees, with the parts of the completion', async () => {
  await using trees = await setUp()
  for (const tree of [trees.objects, trees.metadata]) {
    await makeUpload(tree, interrupted, 'completed')
    await makeUpload(tree, '1111-2222', 'put later')
  }
  await healInterruptedUploads(trees.objects, trees.metadata)
  for (const tree of [trees.objects, trees.metadata]) {
    expect(await readdir(join(tree, uploads))).toEqual(['1111-2222'])
    expect(await trees.contents(tree)).toBe('completed')
  }
})

test('loses no data if the server or the repair is killed between the renames of the two trees', async () => {
  await using trees = await setUp()
  await makeUpload(trees.objects, interrupted, 'completed')
  await makeUpload(trees.metadata, '1111-2222', 'metadata')
  await healInterruptedUploads(trees.objects, trees.metadata)
  expect(await trees.contents(trees.objects)).toBe('completed')
  expect(await trees.contents(trees.metadata)).toBe('metadata')
})

test('does not change other uploads', async () => {
  await using trees = await setUp()
  await makeUpload(trees.objects, '1111-2222', 'open')
  await healInterruptedUploads(trees.objects, trees.metadata)
  expect(await readdir(join(trees.objects, uploads))).toEqual(['1111-2222'])
})
