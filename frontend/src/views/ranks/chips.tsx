/** What narrows the tables and the map: a chip a word, and where another is typed. In the link as `ranks.only`. */
import { go } from '../../state/place'
import { WORD } from './only'

export function Chips({ words }: { readonly words: readonly string[] }) {
  const show = (next: readonly string[]): void => go({ 'ranks.only': next.join(' ') || undefined })
  return (
    <div class="filters" role="group" aria-label="Rows shown">
      {words.map((word) => (
        <button
          key={word}
          type="button"
          class="chip"
          title="Means stay those of all ranks. Click to remove"
          aria-label={`Remove filter ${word}`}
          onClick={() => show(words.filter((other) => other !== word))}
        >
          <span class="chip-text">{word}</span>
          <span aria-hidden="true">×</span>
        </button>
      ))}
      <span class="search">
        <input
          type="search"
          aria-label="Show only"
          placeholder="Only: rank=0-7,16"
          title="rank=0-7,16 stage=3 replica=0 host=NAME dim=data, then Enter"
          onChange={({ currentTarget: input }) => {
            const typed = input.value.split(/\s+/).filter(Boolean)
            const isRight = typed.every((word) => WORD.test(word))
            input.setCustomValidity(isRight ? '' : input.title)
            if (!input.reportValidity()) return
            input.value = ''
            show([...words, ...typed])
          }}
          onInput={({ currentTarget: input }) => input.setCustomValidity('')}
        />
      </span>
    </div>
  )
}
