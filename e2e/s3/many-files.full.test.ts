import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { test } from 'vitest'
import { goClients } from './support/client-programs.ts'
import { rcloneRemote } from './support/rclone-suite.ts'
import { runWell } from './support/run-program.ts'
import { awsVariables, newS3Account } from './support/s3-account.ts'

const fileCount = 10_000
const timeout = 1_200_000

test('restic backs up and restores 10,000 files', { timeout }, async ({ skip }) => {
  const programs = await goClients()
  if (programs === undefined) return skip('restic cannot be built. It needs Go and a module proxy.')
  await using directory = await manyFiles()
  const account = await newS3Account()
  const env = {
    ...awsVariables(account),
    RESTIC_REPOSITORY: `s3:${account.endpoint}/backups`,
    RESTIC_PASSWORD: 'secret',
    RESTIC_CACHE_DIR: join(directory.path, 'cache'),
    PATH: `${programs}:/usr/bin:/bin`,
  }
  const commands = `
restic init
restic backup -q files
echo changed > files/0/0.txt && restic backup -q files
restic check --read-data
restic restore -q latest --target restored && diff -r files restored/files
restic forget -q --keep-last 1 --prune && restic check`
  await runWell('bash', ['-euo', 'pipefail', '-c', commands], { cwd: directory.path, env, timeoutMs: timeout })
})

test('rclone copies 10,000 files, and a mount reads and writes them', { timeout }, async ({ skip }) => {
  const programs = await goClients()
  if (programs === undefined) return skip('rclone cannot be built. It needs Go and a module proxy.')
  if (!existsSync('/dev/fuse')) return skip('A mount needs /dev/fuse.')
  if (!existsSync('/usr/bin/fusermount3')) return skip('A mount needs fusermount3.')
  await using directory = await manyFiles()
  await writeFile(join(directory.path, 'rclone.conf'), rcloneRemote(await newS3Account()), { mode: 0o600 })
  const env = {
    RCLONE_CONFIG: join(directory.path, 'rclone.conf'),
    PATH: `${programs}:/usr/bin:/bin`,
    HOME: directory.path,
  }
  const commands = `
rclone mkdir tideport:many
rclone copy --transfers 16 files tideport:many/copied && rclone check --checkers 16 files tideport:many/copied
mkdir mounted && rclone mount --vfs-cache-mode writes --vfs-write-back 0 tideport:many mounted & mount=$!
trap 'fusermount3 -u mounted; wait $mount' EXIT
until test -d mounted/copied; do kill -0 $mount; sleep 0.1; done
diff -r files mounted/copied
cp -r files mounted/written && diff -r files mounted/written
mv mounted/written/0 mounted/moved && diff -r files/0 mounted/moved && rm -r mounted/moved
trap - EXIT && fusermount3 -u mounted && wait $mount
rm -r files/0 && rclone check --checkers 16 files tideport:many/written`
  await runWell('bash', ['-euo', 'pipefail', '-c', commands], { cwd: directory.path, env, timeoutMs: timeout })
})

/** A directory with `files`: 100 folders of 100 small files. */
async function manyFiles() {
  const directory = await createTemporaryDirectory('many-files')
  for (let folder = 0; folder < fileCount / 100; folder++) {
    const path = join(directory.path, 'files', String(folder))
    await mkdir(path, { recursive: true })
    await Promise.all(
      Array.from({ length: 100 }, (_, file) =>
        writeFile(join(path, `${file}.txt`), `${folder} ${file}\n`.repeat(file)),
      ),
    )
  }
  return directory
}
