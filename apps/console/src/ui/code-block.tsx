export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="code code-block" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
