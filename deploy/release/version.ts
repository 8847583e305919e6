import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file that states the version. Each match of the pattern is a version. */
export interface Stated {
  path: string
  text: string
  pattern: RegExp
}

const workspaces = '{.,apps/*,bench,deploy,e2e,packages/*,services/*,tools/{check-migrations,generate-docs}}'

/** Other files read the version from one of these. */
const statements = {
  [`${workspaces}/package.json`]: /(?<="(?:version|@tideport\/[\w-]+)": ")[^"]+/g,
  'package-lock.json': /(?<="name": "(?:@tideport\/[\w-]+|tideport)",\s+"version": "|"@tideport\/[\w-]+": ")[^"]+/g,
  'deploy/helm/tideport/Chart.yaml': /(?<=^(?:version|appVersion): )\S+/gm,
  Dockerfile: /(?<=^ARG VERSION=)\S+/gm,
  '{.github/workflows,deploy/helm/tideport,docs/*}/*.{yml,md}':
    /(?<=\btideport:|targetRevision: v)\d+\.\d+\.\d+(?:-[\w.-]*\w)?/g,
}

/** Every file below `root` that states the version. */
export function readVersions(root: string): Stated[] {
  return Object.entries(statements)
    .flatMap(([files, pattern]) => globSync(files, { cwd: root }).map((path) => ({ path, pattern })))
    .map((file) => ({ ...file, text: readFileSync(join(root, file.path), 'utf8') }))
    .filter(({ text, pattern }) => text.match(pattern))
}

/** The text of the file with another version. */
export const withVersion = ({ text, pattern }: Stated, version: string): string => text.replaceAll(pattern, version)

/** One message for each file whose version differs from the tag. A tag without messages can be released. */
export function versionFaults(tag: string, files: Stated[], changelog: string): string[] {
  const version = tag.slice(1)
  return [
    ...(isVersion(tag) ? [] : [`The tag ${tag} is not a version. Use v1.2.3 or v1.2.3-rc.1.`]),
    ...files.flatMap(({ path, text, pattern }) => {
      const others = text.match(pattern)?.filter((found) => found !== version)
      return [...new Set(others)].map((other) => `${path} has ${other}, but the tag is ${tag}.`)
    }),
    ...(releaseNotes(tag, changelog) === '' ? [`CHANGELOG.md has no text in a section ## [${version}] - DATE.`] : []),
    ...(changelog.includes('Nothing is released yet') ? ['CHANGELOG.md states that nothing is released yet.'] : []),
  ]
}

const isVersion = (tag: string) => /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(tag)

/** The changelog's text below `## [0.2.0] - 2026-01-31`, up to the next such heading. Empty if there is no text. */
export function releaseNotes(tag: string, changelog: string): string {
  const sections = changelog.split(/^## /m)
  const own = sections.find((section) => section.startsWith(`[${tag.slice(1)}] - `)) ?? ''
  return own.split('\n').slice(1).join('\n').trim()
}

/** The changelog with the text of `[Unreleased]` in a section of this version. */
export function datedChangelog(changelog: string, version: string, date: string): string {
  return changelog
    .replace(/^Nothing is released yet.*\n\n?/m, '\n')
    .replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${date}`)
}
