import { listFiles } from '@tideport/sdk'
import { client } from '../api/client.ts'

/** Up to this many files of one folder are looked up one by one. */
const aloneMax = 3
const atOnce = 4

/** Lists subfolders of `folder` completely, and of `folder` itself only names with the shared prefix. */
export async function findTaken(vaultId: string, folder: string, paths: readonly string[]): Promise<Set<string>> {
  const asked = new Set(paths.map(normal))
  const own = [...asked].filter((path) => !path.slice(folder.length).includes('/'))
  const below = new Set([...asked].flatMap((path) => /^[^/]+\//.exec(path.slice(folder.length))?.[0] ?? []))
  const lists = [
    ...(own.length <= aloneMax ? own.map((path) => ({ prefix: path })) : [{ prefix: sharedStart(own) }]).map(
      (list) => ({ ...list, delimiter: '/' as const }),
    ),
    ...[...below].map((name) => ({ prefix: `${folder}${name}` })),
  ]
  const taken = new Set<string>()
  const left = lists.values()
  const work = async () => {
    for (const list of left) {
      const { prefix } = list
      const isOne = asked.has(prefix)
      const files = listFiles(client(), { vaultId, ...list, prefix: prefix || undefined, sortBy: 'path', limit: 100 })
      for await (const { path, status } of files) {
        // The exact path sorts first.
        if (isOne && path !== prefix) break
        if (status !== 'uploading' && asked.has(path)) taken.add(path)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return taken
}

/** The service stores paths in this form. */
export const normal = (path: string): string => path.normalize('NFC')

function sharedStart(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  let length = first.length
  for (const path of others) while (!path.startsWith(first.slice(0, length))) length--
  // Never half of a surrogate pair.
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}
