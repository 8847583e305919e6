export interface VersionTexts {
  manifest: string
  chart: string
  dockerfile: string
  changelog: string
}

/** The changelog's text below `## [0.2.0] - 2026-01-31`, up to the next such heading. Empty if there is no text. */
export function releaseNotes(tag: string, changelog: string): string {
  const sections = changelog.split(/^## /m)
  const own = sections.find((section) => section.startsWith(`[${tag.slice(1)}] - `)) ?? ''
  return own.split('\n').slice(1).join('\n').trim()
}

/** One message for each file whose version differs from the tag. A tag without messages can be released. */
export function versionFaults(tag: string, { manifest, chart, dockerfile, changelog }: VersionTexts): string[] {
  const version = tag.slice(1)
  const wrong = (place: string, found: string | undefined) =>
    found === version ? [] : [`${place} has ${found ?? 'no version'}, but the tag is ${tag}.`]
  const found = (text: string, pattern: RegExp) => text.match(pattern)?.[1]
  return [
    ...(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(tag)
      ? []
      : [`The tag ${tag} is not a version. Use v1.2.3 or v1.2.3-rc.1.`]),
    ...wrong('package.json', (JSON.parse(manifest) as { version?: string }).version),
    ...wrong('version in Chart.yaml', found(chart, /^version: (\S+)$/m)),
    ...wrong('appVersion in Chart.yaml', found(chart, /^appVersion: (\S+)$/m)),
    ...wrong('VERSION in the Dockerfile', found(dockerfile, /^ARG VERSION=(\S+)$/m)),
    ...(releaseNotes(tag, changelog) === '' ? [`CHANGELOG.md has no text in a section ## [${version}] - DATE.`] : []),
  ]
}
