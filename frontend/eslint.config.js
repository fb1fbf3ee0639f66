import tseslint from 'typescript-eslint'

// No rule is asked of what is made; ignored outright, a list of changed files that names one would be a warning.
const MADE = ['src/wire/wire.ts', 'src/wire/categories.ts', 'src/views/*/definitions.ts', 'src/views/*/row_figures.ts']

export default tseslint.config(
  { ignores: ['node_modules', 'eslint.config.js'] },
  { files: MADE, languageOptions: { parser: tseslint.parser } },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, ignores: MADE })),
  {
    ignores: MADE,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Numbers in template strings are what a page about numbers does all day.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `onClick={() => go(...)}` reads better than a block around it.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Names and values of a trace are text from a stranger.
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text from a trace is never HTML.' },
        {
          selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]',
          message: 'Text from a trace is never HTML.',
        },
      ],
    },
  },
)
