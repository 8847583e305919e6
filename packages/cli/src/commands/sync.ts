import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { command } from '../grammar/command.ts'
import { absent } from '../local/absent.ts'
import { encodeNamesOption, namesBy } from '../local/encode-names.ts'
import { filterOptions, openFilter } from '../local/filter.ts'
import { verboseOption } from '../local/tell-skipped.ts'
import { openVault } from '../private/open-vault.ts'
import { openContents } from '../private/read-contents.ts'
import { connect } from '../profile/connect.ts'
import { folderOf, isRemote, parsePlace } from '../remote/address.ts'
import { findVault } from '../remote/find-vault.ts'
import { compareSides, type Differences } from '../sync/compare-sides.ts'
import { openHashes } from '../sync/known-hashes.ts'
import { syncDown } from '../sync/sync-down.ts'
import { syncUp } from '../sync/sync-up.ts'
import { formatCount, parseCount } from '../terminal/amounts.ts'
import { Tally, UsageError } from '../terminal/failures.ts'
import { bwlimitOption, openPace, paceContents } from '../transfer/bandwidth-limit.ts'

export const sync = command({
  name: 'sync',
  summary: 'Make a remote folder match a local folder, or the reverse',
  description:
    'Files match if their sizes and SHA-256 hashes are equal; times do not matter. Other files are replaced: a replaced remote\n' +
    'file moves to the trash, a replaced local file is deleted permanently. --delete runs last, and only if nothing failed\n' +
    'and FROM is not empty. Symbolic links and empty folders are skipped.',
  arguments: {
    from: { summary: 'Source: a local folder or VAULT:FOLDER', isPath: true },
    to: { summary: 'Target to change: VAULT:FOLDER or a local folder', isPath: true },
  },
  options: {
    delete: { type: 'boolean', summary: 'Delete target files that the source does not have' },
    dryRun: { type: 'boolean', short: 'n', summary: 'Print the changes without making them' },
    parallel: { type: 'string', value: 'N', summary: 'Concurrent files, 1 to 32 (default: 6)' },
    ...filterOptions,
    bwlimit: bwlimitOption,
    encodeNames: encodeNamesOption,
    verbose: verboseOption,
  },
  async run({ from, to, delete: remove, dryRun, parallel = '6', bwlimit, encodeNames, verbose, given }, context) {
    const { output, signal } = context
    if (isRemote(from) === isRemote(to))
      throw new UsageError('One of FROM and TO must be a local folder, and the other VAULT:FOLDER')
    const isUp = isRemote(to)
    const pace = openPace(bwlimit)
    const options = { pace, remove, isDry: dryRun, parallel: parseCount('parallel', parallel, 32) }
    const root = resolve(isUp ? from : to)
    const stats = await stat(root).catch(absent)
    if (isUp ? !stats?.isDirectory() : stats && !stats.isDirectory()) throw new Error(`${root} is not a folder`)
    const place = parsePlace(isUp ? to : from)
    const client = await connect(context)
    const vault = await findVault(client, place.vault, signal)
    const isPrivate = vault.visibility === 'private'
    const vaultKey = isPrivate ? await openVault(context, client, vault.id) : null
    const contentsOf = paceContents(await openContents(context, client), pace)
    const folder = folderOf(place.path)
    const how = { names: namesBy(encodeNames, folder), isExcluded: await openFilter(given, root) }
    const sides = { ...how, client, root, vault, vaultKey, contentsOf, folder }
    const hashes = await openHashes(context, `${client.baseUrl} ${vault.id} ${sides.folder} ${root}`)
    try {
      const found = await compareSides(sides, { hashes, verbose }, context)
      refuseToEmpty(found, isUp, remove)
      output.remark(`${formatCount(found.same.length, 'file')} already up to date`)
      const tally = new Tally(found.same.length, found.failed)
      await (isUp ? syncUp : syncDown)(sides, found, { ...options, hashes, tally }, context)
    } finally {
      await hashes.keep()
    }
  },
})

/** A disk that is not mounted, or a mistyped path, looks like an empty folder. */
function refuseToEmpty({ localOnly, remoteOnly, different, same }: Differences, isUp: boolean, remove: boolean) {
  const others = (isUp ? localOnly : remoteOnly).length + different.length + same.length
  if (remove && others === 0 && (isUp ? remoteOnly : localOnly).length > 0) {
    throw new Error(
      `The source is empty, so --delete would delete every file of the target. To delete them all, use \`${isUp ? 'tideport rm -r' : 'rm -r'}\``,
    )
  }
}
