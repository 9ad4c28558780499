#include "describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/try.h"

namespace pawl::cli {
namespace {

/// An option, a flag or an argument, as its command defines it.
struct Word {
  std::vector<std::string> names;  ///< "-o", "--output"; none: an argument
  std::string argument;            ///< "MODEL", of an argument; "FILE", of an option; empty: a flag
  std::string text;
  bool repeats = false;  ///< takes several values
};

Word word_of(const CLI::Option& option) {
  Word word;
  for (const std::string& name : option.get_snames()) word.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) word.names.push_back("--" + name);
  if (word.names.empty())
    word.argument = option.get_name(true);
  else if (option.get_items_expected_max() > 0)
    word.argument = option.get_type_name();
  word.repeats = option.get_items_expected_max() > 1;
  word.text = option.get_description();
  if (!option.get_default_str().empty()) word.text += " (otherwise " + option.get_default_str() + ")";
  return word;
}

/// What --help shows, in its order; arguments first.
std::vector<Word> words_of(const CLI::App& command) {
  std::vector<Word> words;
  for (const bool named : {false, true})
    for (const CLI::Option* option : command.get_options())
      if (!option->get_group().empty() && option->nonpositional() == named) words.push_back(word_of(*option));
  return words;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string replaced(std::string text, const std::vector<std::pair<char, std::string>>& characters) {
  std::string result;
  for (const char c : text) {
    const auto found =
        std::find_if(characters.begin(), characters.end(), [&](const auto& row) { return row.first == c; });
    if (found == characters.end())
      result += c;
    else
      result += found->second;
  }
  return result;
}

/// Text for man(7): nothing in it is markup, and a hyphen is one that can be copied.
std::string roff(const std::string& text) { return replaced(text, {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}}); }

std::string man_word(const Word& word) {
  std::string head;
  for (const std::string& name : word.names) head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (!word.argument.empty())
    head += (head.empty() ? "" : " ") + ("\\fI" + roff(word.argument) + "\\fR") + (word.repeats ? " …" : "");
  return ".TP\n" + head + "\n" + roff(word.text) + ".\n";
}

std::string man_page(const CLI::App& app) {
  std::string text =
      ".\\\" Made from the command line's own description.\n.TH PAWL 1\n.SH NAME\npawl \\- runs ONNX models with Scan, "
      "Loop and If\n";
  text += ".SH SYNOPSIS\n";
  for (const CLI::App* command : commands_of(app)) {
    std::string arguments;
    for (const Word& word : words_of(*command))
      if (word.names.empty()) arguments += " \\fI" + roff(word.argument) + "\\fR" + (word.repeats ? "…" : "");
    text += "\\fBpawl " + roff(command->get_name()) + "\\fR" + arguments + " [\\fIoption\\fR]…\n.br\n";
  }
  text += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    text += ".SS pawl " + roff(command->get_name()) + "\n" + roff(command->get_description()) + ".\n";
    for (const Word& word : words_of(*command)) text += man_word(word);
  }
  text += ".SH OPTIONS\n";
  for (const Word& word : words_of(app)) text += man_word(word);
  text +=
      ".SH EXIT STATUS\n0 when all is done; 1 when cases of\n.B pawl test\nfailed; 2 when a model, a file or an "
      "argument is at fault: one line on standard error then says which, and where.\n";
  text +=
      ".SH FILES\n.TP\n.I ~/.cache/pawl\nKernels that were compiled, for the next time; below $XDG_CACHE_HOME where "
      "that is set.\n";
  return text;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words)
    for (const std::string& name : word.names) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// Names of the options whose values are folders: the others take files, or words that nobody can guess.
std::string folder_options(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words)
    for (const std::string& name : word.names)
      if (word.argument == "DIR") text += (text.empty() ? "" : "|") + name;
  return text;
}

std::string bash_completion(const CLI::App& app) {
  std::string names;
  std::string options;
  std::string folders;
  for (const CLI::App* command : commands_of(app)) {
    const std::vector<Word> words = words_of(*command);
    names += (names.empty() ? "" : " ") + command->get_name();
    options += fmt::format("    {}) options=\"{}\" ;;\n", command->get_name(), joined(words));
    if (const std::string found = folder_options(words); !found.empty())
      folders += fmt::format("    {}) [[ $previous == @({}) ]] && kind=-d ;;\n", command->get_name(), found);
  }
  return fmt::format(R"(# Made from the command line's own description.
_pawl() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command= options= kind=-f word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ " {0} " == *" $word "* ]] && command=$word && break
  done
  case $command in
    "") options="{0} {1}" ;;
{2}  esac
  case $command in
{3}  esac
  # NAME=FILE: the file is what is completed.
  [[ $current == *=* ]] && current=${{current#*=}}
  if [[ -z $command || $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen $kind -- "$current")
  fi
}}
complete -o filenames -F _pawl pawl
)",
                     names, joined(words_of(app)), options, folders);
}

/// Text between single quotes in an argument of _arguments.
std::string zsh_text(const std::string& text) {
  return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\\', "\\\\"}});
}

std::string zsh_word(const Word& word) {
  const std::string files = word.argument == "DIR" ? "_files -/" : "_files";
  if (word.names.empty()) return fmt::format(" '*:{}:{}'", zsh_text(word.argument), files);
  std::string text;
  for (const std::string& name : word.names) {
    const std::string value = word.argument.empty() ? "" : fmt::format(":{}:{}", zsh_text(word.argument), files);
    text += fmt::format(" '{}{}[{}]{}'", word.repeats ? "*" : "", name, zsh_text(word.text), value);
  }
  return text;
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands;
  std::string arguments;
  for (const CLI::App* command : commands_of(app)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
    arguments += fmt::format("        {}) _arguments", command->get_name());
    for (const Word& word : words_of(*command)) arguments += " \\\n         " + zsh_word(word);
    arguments += " ;;\n";
  }
  std::string options;
  for (const Word& word : words_of(app)) options += zsh_word(word);
  return fmt::format(R"(#compdef pawl
# Made from the command line's own description.
_pawl() {{
  local state
  local -a commands=(
{})
  _arguments -C{} '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
_pawl "$@"
)",
                     commands, options, arguments);
}

}  // namespace

Result<std::string> describe(const CLI::App& app, const std::string& form) {
  if (form == "man") return man_page(app);
  if (form == "bash") return bash_completion(app);
  if (form == "zsh") return zsh_completion(app);
  return fail(Code::bad_argument, "--describe {}: expected man, bash or zsh", form);
}

}  // namespace pawl::cli
