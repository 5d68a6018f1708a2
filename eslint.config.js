import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["node_modules/", ".venv/", "build/"] },
  js.configs.recommended,
  {
    files: ["assets/live/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-control-regex": "off", // texts hold such characters, and they are shown
      "no-misleading-character-class": ["error", { allowEscape: true }],
      "no-unused-vars": ["error", { args: "none", ignoreRestSiblings: true }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "no-shadow-restricted-names": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Text from a person goes in by textContent only." },
      ],
    },
  },
  { files: ["tests/js/*.js"], languageOptions: { globals: globals.node } },
];
