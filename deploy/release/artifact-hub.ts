export interface Release {
  tag: string
  /** URL of the repository. */
  repository: string
  /** Name of the published image, without its tag. */
  image: string
  /** The chart's values. Servers for evaluation are images with a digest in them. */
  values: string
  /** The changelog's section of this release. */
  notes: string
}

/** The headings of Keep a Changelog, and the kinds of changes that Artifact Hub accepts. */
const kinds = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']

/** `Chart.yaml` with the facts of a release that Artifact Hub shows. */
export function annotatedChart(chart: string, { tag, repository, image, values, notes }: Release): string {
  const others = [...values.matchAll(/^ +image: "([\w.-]+\/)?([\w-]+):(.+@sha256:.+)"$/gm)]
  const images = [
    { name: 'tideport', image: `${image}:${tag.slice(1)}` },
    ...others.map(([, owner = '', name = '', version]) => ({ name, image: `${owner}${name}:${version}` })),
  ]
  const links = [
    { name: 'Documentation', url: `${repository}/blob/${tag}/docs/index.md` },
    { name: 'Changelog', url: `${repository}/blob/${tag}/CHANGELOG.md` },
    { name: 'Security policy', url: `${repository}/blob/${tag}/SECURITY.md` },
  ]
  const annotations = {
    prerelease: String(tag.includes('-')),
    containsSecurityUpdates: String(/^### Security$/m.test(notes)),
    images: asYaml(images),
    links: asYaml(links),
    changes: asYaml(changesOf(notes)),
  }
  const lines = Object.entries(annotations).map(([name, value]) => `  artifacthub.io/${name}: ${JSON.stringify(value)}`)
  return [
    chart.trimEnd(),
    ...lines,
    `home: ${repository}`,
    `sources: [${repository}]`,
    `icon: ${repository}/raw/${tag}/apps/console/src/app/icon.svg\n`,
  ].join('\n')
}

/** The chart's values with the published image. */
export function chartValues(values: string, image: string): string {
  const changed = values.replace(/^ {2}repository: tideport$/m, `  repository: ${image}`)
  if (changed === values) throw new Error('values.yaml does not have the line "  repository: tideport"')
  return changed
}

/** Each item of the changelog. Artifact Hub shows plain text. */
function changesOf(notes: string): { kind: string; description: string }[] {
  return notes.split(/^### /m).flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n')
    const kind = heading.toLowerCase()
    if (!kinds.includes(kind)) return []
    const items = lines.join('\n').split(/^- /m).slice(1)
    return items.map((item) => ({ kind, description: plain(item) }))
  })
}

const plain = (markdown: string) =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** JSON is YAML. */
const asYaml = (value: unknown): string => JSON.stringify(value)
