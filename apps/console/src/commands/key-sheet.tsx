import { text } from '../text/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { type Command, commands, paletteKeys, sheet } from './commands.ts'

export function KeySheet() {
  if (!sheet.isOpen.value) return null
  const t = text.value.commands
  const withKey = commands.value.filter(({ key }) => key !== undefined)
  const here = withKey.filter(({ isGlobal }) => !isGlobal)
  const everywhere = [...withKey.filter(({ isGlobal }) => isGlobal), { label: t.title, key: paletteKeys.value }]
  return (
    <Dialog title={t.keys} onClose={sheet.close}>
      {here.length > 0 && <Keys title={t.thisPage} list={here} />}
      <Keys title={t.everywhere} list={everywhere} />
    </Dialog>
  )
}

function Keys({ title, list }: { title: string; list: readonly Pick<Command, 'label' | 'key'>[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="key-list">
        {list.map(({ label, key }) => (
          <div key={label}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
