import { execFile } from 'node:child_process'
import { mkdir, open, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const DISK_BYTES = 64 * 1024 * 1024

/** A disk of its own that can be made to hang: every write to it stands still until it is thawed. */
export interface FreezableDisk extends AsyncDisposable {
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** Why there can be none here; null where there can. It takes root, a loop device, ext4 and fsfreeze. */
export async function whyNoFreezableDisk(dir: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount and freeze a disk'
  try {
    await using disk = await mountFreezableDisk(dir)
    await disk.freeze()
    return null
  } catch (error) {
    return `no disk can be mounted and frozen here: ${error instanceof Error ? error.message : error}`
  }
}

/** A small disk, mounted at `dir`, which is made. Its disposal thaws and unmounts it. */
export async function mountFreezableDisk(dir: string): Promise<FreezableDisk> {
  const image = `${dir}.image`
  await mkdir(dir, { recursive: true })
  {
    await using file = await open(image, 'wx')
    await file.truncate(DISK_BYTES)
  }
  let isFrozen = false
  const freeze = async (option: '--freeze' | '--unfreeze') => {
    await run('fsfreeze', [option, dir])
    isFrozen = option === '--freeze'
  }
  const thaw = async () => {
    if (isFrozen) await freeze('--unfreeze')
  }
  await run('mkfs.ext4', ['-q', '-m', '0', image])
  await run('mount', ['-o', 'loop', image, dir])
  await rm(`${dir}/lost+found`, { recursive: true })
  return {
    freeze: () => freeze('--freeze'),
    thaw,
    async [Symbol.asyncDispose]() {
      await thaw()
      await run('umount', ['--lazy', dir])
      await rm(image)
    },
  }
}
