# Installs a formula of ours as Homebrew would, for machines without it, and runs its test.
#
# usage: ruby run-formula.rb FORMULA FILES FOLDER
#
# FILES is a folder with the files that the formula's URLs name. Nothing of Homebrew is here but the words
# that our formula uses.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "rbconfig"

class Pathname
  def install(*files)
    mkpath
    files.flatten.each do |file|
      raise "#{file} is not in the archive" unless File.exist?(file)
      FileUtils.cp_r(file, self)
    end
    raise "nothing to install into #{self}" if files.flatten.empty?
  end
end

class Formula
  class << self
    attr_reader :source, :sum, :examination

    def on_linux = (yield if RbConfig::CONFIG["host_os"].include?("linux"))
    def on_macos = (yield if RbConfig::CONFIG["host_os"].include?("darwin"))
    def on_intel = (yield if RbConfig::CONFIG["host_cpu"] == "x86_64")
    def on_arm = (yield if %w[arm64 aarch64].include?(RbConfig::CONFIG["host_cpu"]))
    def url(text) = @source = text
    def sha256(text) = @sum = text
    def test(&block) = @examination = block

    %i[desc homepage license].each { |word| define_method(word) { |text| raise word.to_s if text.empty? } }

    def version(text = nil)
      @version = text if text
      @version
    end
  end

  def initialize(prefix) = @prefix = Pathname(prefix)
  def version = self.class.version
  def bin = @prefix/"bin"
  def man1 = @prefix/"share/man/man1"
  def doc = @prefix/"share/doc/tollgate"
  def bash_completion = @prefix/"etc/bash_completion.d"
  def zsh_completion = @prefix/"share/zsh/site-functions"
  def fish_completion = @prefix/"share/fish/vendor_completions.d"

  def system(*words)
    output, status = Open3.capture2e(*words.map(&:to_s))
    raise "#{words.join(" ")} fails:\n#{output}" unless status.success?
  end

  def shell_output(command)
    output, status = Open3.capture2(command)
    raise "#{command} fails" unless status.success?
    output
  end

  def assert_equal(wanted, got)
    raise "#{got.inspect} in place of #{wanted.inspect}" unless wanted == got
  end

  def cd(folder, &block) = Dir.chdir(folder, &block)
end

formula, files, folder = ARGV.map { |path| File.expand_path(path) }
load formula
source = Tollgate.source or abort "the formula has nothing for this machine"
archive = File.join(files, File.basename(source))
abort "the formula's sum is not that of #{archive}" unless Digest::SHA256.file(archive).hexdigest == Tollgate.sum
%w[unpacked cellar work].each { |name| FileUtils.mkdir_p(File.join(folder, name)) }
# Homebrew goes into the only folder of an archive.
Kernel.system("tar", "-xzf", archive, "-C", "#{folder}/unpacked", "--strip-components=1") or abort "no archive"
tollgate = Tollgate.new("#{folder}/cellar")
Dir.chdir("#{folder}/unpacked") { tollgate.install }
Dir.chdir("#{folder}/work") { tollgate.instance_exec(&Tollgate.examination) }
puts "the formula installs #{Dir["#{folder}/cellar/**/*"].count { |path| File.file?(path) }} files, and its test passes"
