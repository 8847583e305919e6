export interface VersionTexts {
  manifest: string
  chart: string
  dockerfile: string
  changelog: string
}

/** What the changelog says below `## [0.2.0] - 2026-01-31`, up to the next such heading; empty where it says nothing. */
export function releaseNotes(tag: string, changelog: string): string {
  const sections = changelog.split(/^## /m)
  const own = sections.find((section) => section.startsWith(`[${tag.slice(1)}] - `)) ?? ''
  return own.split('\n').slice(1).join('\n').trim()
}

/** A sentence for each place that does not bear the version of this tag; none: it may be released. */
export function versionFaults(tag: string, { manifest, chart, dockerfile, changelog }: VersionTexts): string[] {
  const version = tag.slice(1)
  const wrong = (place: string, found: string | undefined) =>
    found === version ? [] : [`${place} says ${found ?? 'nothing'}, the tag ${tag}`]
  const found = (text: string, pattern: RegExp) => text.match(pattern)?.[1]
  return [
    ...(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(tag) ? [] : [`${tag} is no tag of a release: v1.2.3 or v1.2.3-rc.1`]),
    ...wrong('package.json', (JSON.parse(manifest) as { version?: string }).version),
    ...wrong('version in Chart.yaml', found(chart, /^version: (\S+)$/m)),
    ...wrong('appVersion in Chart.yaml', found(chart, /^appVersion: (\S+)$/m)),
    ...wrong('VERSION in the Dockerfile', found(dockerfile, /^ARG VERSION=(\S+)$/m)),
    ...(releaseNotes(tag, changelog) === ''
      ? [`CHANGELOG.md has no section ## [${version}] - DATE with words in it`]
      : []),
  ]
}
