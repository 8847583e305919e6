import type { Page } from 'playwright-core'

/** Has the browser's own dialog for folders, which takes a person, answered by a folder of the origin with these files. */
export async function answerFolderDialog(page: Page, name: string, sizes: Record<string, number>): Promise<void> {
  await page.evaluate(
    `(async (name, sizes) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true })
      for (const [file, size] of Object.entries(sizes)) {
        const writable = await (await folder.getFileHandle(file, { create: true })).createWritable()
        await writable.write(new Uint8Array(size).map((_, at) => (at * 7919) >> 5))
        await writable.close()
      }
      globalThis.showDirectoryPicker = async () => folder
    })(${JSON.stringify(name)}, ${JSON.stringify(sizes)})`,
  )
}
